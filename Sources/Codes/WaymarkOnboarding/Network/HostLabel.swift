import WaymarkSystem

/// Validates labels of host names, and converts them between Unicode and ASCII.
///
/// `Punycode` below is the encoding of these labels.
///
/// Internationalised labels follow IDNA 2008 (RFC 5891, RFC 5892), not the wider mapping of UTS #46: letters are converted to lower case
/// and NFC, and other characters that browsers map (full-width letters, ligatures, Roman numerals, invisible characters) are refused.
package enum HostLabel {
  /// Returns the ASCII form of a label in lower case; nil if it cannot be part of a host name.
  package static func ascii(_ label: Substring) -> String? {
    guard !label.isEmpty, label.first != "-", label.last != "-" else { return nil }
    if label.utf8.allSatisfy({ $0 < 0x80 }) {
      let lower = label.lowercased()
      guard lower.utf8.count <= 63, lower.utf8.allSatisfy(isPlain) else { return nil }
      if lower.hasPrefix("xn--") { return isFaithful(lower) ? lower : nil }
      // All other labels with hyphens in third and fourth place are reserved (RFC 5891, 4.2.3.1).
      return lower.dropFirst(2).hasPrefix("--") ? nil : lower
    }
    guard label.unicodeScalars.allSatisfy(isItself) else { return nil }
    let scalars = Array(String(label).lowercased().canonicallyComposed.unicodeScalars)
    guard isAllowed(scalars), let encoded = Punycode.encode(scalars) else { return nil }
    let result = "xn--" + encoded
    return result.utf8.count <= 63 ? result : nil
  }

  /// Returns the Unicode form of an internationalised label; nil for a label without `xn--` or with invalid Punycode.
  package static func unicode(_ ascii: String) -> String? {
    guard ascii.hasPrefix("xn--"), let scalars = Punycode.decode(ascii.dropFirst(4)) else { return nil }
    var text = ""
    text.unicodeScalars.append(contentsOf: scalars)
    return text
  }

  /// Returns whether a byte is a lower-case letter, a digit, a hyphen, or an underscore, which occurs in names of internal networks.
  private static func isPlain(_ byte: UInt8) -> Bool {
    (0x61...0x7A).contains(byte) || byte.isASCIIDigit || "-_".utf8.contains(byte)
  }

  /// Returns whether an `xn--` label decodes to a valid label that encodes to the same text again.
  private static func isFaithful(_ label: String) -> Bool {
    guard let scalars = Punycode.decode(label.dropFirst(4)), scalars.contains(where: { !$0.isASCII }),
      let again = Punycode.encode(scalars), "xn--" + again == label
    else { return false }
    var text = ""
    text.unicodeScalars.append(contentsOf: scalars)
    return Array(text.lowercased().canonicallyComposed.unicodeScalars) == scalars
      && isAllowed(scalars)
  }

  /// Returns whether a character is ASCII, or is kept by NFC and has no lower case in ASCII. Refuses KELVIN SIGN, which becomes `k`, and
  /// OHM SIGN, which becomes OMEGA.
  private static func isItself(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII { return true }
    let composed = String(Character(scalar)).canonicallyComposed.unicodeScalars
    return composed.elementsEqual([scalar])
      && scalar.properties.lowercaseMapping.canonicallyComposed.unicodeScalars.allSatisfy {
        !$0.isASCII
      }
  }

  /// Returns a number for the script of a letter, among the scripts whose letters look alike; nil for characters of other scripts.
  /// A valid label has letters of at most one of these scripts (UTS #39, 5.2: highly restrictive).
  private static func alphabet(_ scalar: Unicode.Scalar) -> Int? {
    switch scalar.value {
    case 0x61...0x7A, 0xDF...0xF6, 0xF8...0x24F, 0x250...0x2AF, 0x1E00...0x1EFF, 0x2C60...0x2C7F, 0xA722...0xA7FF: 0
    case 0x370...0x3FF, 0x1F00...0x1FFF: 1
    case 0x400...0x52F, 0x1C80...0x1C8F, 0xA640...0xA69F: 2
    case 0x530...0x58F: 3
    case 0x10A0...0x10FF, 0x1C90...0x1CBF, 0x2D00...0x2D2F: 4
    case 0x13A0...0x13FF, 0xAB70...0xABBF: 5
    case 0x2C80...0x2CFF: 6
    case 0x5D0...0x5F4: 7
    case 0x1400...0x167F: 8
    case 0xA4D0...0xA4FF: 9
    default: nil
    }
  }

  /// Returns whether a label is valid (RFC 5891, 4.2.3 and RFC 5892); zero-width joiners are refused.
  private static func isAllowed(_ scalars: [Unicode.Scalar]) -> Bool {
    guard let first = scalars.first, let last = scalars.last, first != "-", last != "-" else { return false }
    if scalars.count >= 4, scalars[2] == "-", scalars[3] == "-" { return false }
    switch first.properties.generalCategory {
    case .nonspacingMark, .spacingMark, .enclosingMark: return false
    default: break
    }
    guard Set(scalars.compactMap(alphabet)).count <= 1 else { return false }
    for index in scalars.indices {
      let scalar = scalars[index]
      if scalar.isASCII {
        guard isPlain(UInt8(scalar.value)) else { return false }
      } else if scalar == "\u{B7}" {
        // MIDDLE DOT between two l (RFC 5892, A.3).
        guard index > 0, index + 1 < scalars.count, scalars[index - 1] == "l", scalars[index + 1] == "l" else {
          return false
        }
      } else if scalar == "\u{30FB}" {
        // KATAKANA MIDDLE DOT beside Japanese letters (RFC 5892, A.7).
        guard scalars.contains(where: isJapanese) else { return false }
      } else if !isValid(scalar) {
        return false
      }
    }
    return true
  }

  private static func isJapanese(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x3041...0x3096, 0x30A1...0x30FA, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0x20000...0x3FFFF: true
    default: false
    }
  }

  /// Returns whether a character has the derived property PVALID (RFC 5892, section 3).
  private static func isValid(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0xDF, 0x3C2, 0x6FD, 0x6FE, 0xF0B, 0x3007: return true
    case 0x640, 0x7FA, 0x302E, 0x302F, 0x3031...0x3035, 0x303B: return false
    // Old Hangul jamo (RFC 5892, 2.9).
    case 0x1100...0x11FF, 0xA960...0xA97C, 0xD7B0...0xD7FB: return false
    default: break
    }
    let properties = scalar.properties
    switch properties.generalCategory {
    case .lowercaseLetter, .otherLetter, .modifierLetter, .nonspacingMark, .spacingMark, .decimalNumber: break
    default: return false
    }
    return !properties.changesWhenNFKCCaseFolded && !properties.isDefaultIgnorableCodePoint
  }
}

// MARK: - Punycode

/// The Bootstring encoding of internationalised host labels (RFC 3492, with the parameters of section 5).
package enum Punycode {
  private static let base = 36
  private static let tMin = 1
  private static let tMax = 26
  private static let skew = 38
  private static let damp = 700
  private static let initialBias = 72
  private static let initialN = 0x80

  /// Returns the adapted bias (section 6.1).
  private static func adapt(_ delta: Int, points: Int, first: Bool) -> Int {
    var delta = first ? delta / damp : delta / 2
    delta += delta / points
    var k = 0
    while delta > ((base - tMin) * tMax) / 2 {
      delta /= base - tMin
      k += base
    }
    return k + (base - tMin + 1) * delta / (delta + skew)
  }

  private static func threshold(_ k: Int, _ bias: Int) -> Int { min(max(k - bias, tMin), tMax) }

  private static func digit(_ value: Int) -> UInt8 { UInt8(value < 26 ? value + 0x61 : value - 26 + 0x30) }

  private static func value(_ byte: UInt8) -> Int? {
    switch byte {
    case 0x61...0x7A: Int(byte) - 0x61
    case 0x41...0x5A: Int(byte) - 0x41
    case 0x30...0x39: Int(byte) - 0x30 + 26
    default: nil
    }
  }

  /// Encodes a label, without the prefix `xn--`; returns nil if the result is longer than 63 bytes (section 6.3).
  package static func encode(_ label: some Sequence<Unicode.Scalar>) -> String? {
    let points = label.map { Int($0.value) }
    guard points.count <= 63 else { return nil }
    var output = points.filter { $0 < initialN }.map { UInt8($0) }
    let basic = output.count
    if basic > 0 { output.append(UInt8(ascii: "-")) }
    var n = initialN
    var delta = 0
    var bias = initialBias
    var handled = basic
    while handled < points.count {
      guard let next = points.filter({ $0 >= n }).min() else { return nil }
      delta += (next - n) * (handled + 1)
      n = next
      for point in points {
        if point < n { delta += 1 }
        guard point == n else { continue }
        var q = delta
        var k = base
        while true {
          let t = threshold(k, bias)
          if q < t { break }
          output.append(digit(t + (q - t) % (base - t)))
          q = (q - t) / (base - t)
          k += base
        }
        output.append(digit(q))
        bias = adapt(delta, points: handled + 1, first: handled == basic)
        delta = 0
        handled += 1
      }
      delta += 1
      n += 1
      guard output.count <= 63 else { return nil }
    }
    return String(decoding: output, as: UTF8.self)
  }

  /// Decodes the part of a label after `xn--`; returns nil if the part is not Punycode (section 6.2).
  package static func decode(_ text: some StringProtocol) -> [Unicode.Scalar]? {
    let bytes = Array(text.utf8)
    guard bytes.count <= 63, bytes.allSatisfy({ $0 < 0x80 }) else { return nil }
    var output: [Unicode.Scalar] = []
    var position = 0
    if let dash = bytes.lastIndex(of: UInt8(ascii: "-")) {
      output = bytes[..<dash].map { Unicode.Scalar($0) }
      position = dash + 1
    }
    var n = initialN
    var i = 0
    var bias = initialBias
    while position < bytes.count {
      let before = i
      var weight = 1
      var k = base
      while true {
        guard position < bytes.count, let digit = value(bytes[position]) else { return nil }
        position += 1
        let (step, tooMuch) = digit.multipliedReportingOverflow(by: weight)
        guard !tooMuch, step < 1 << 40 else { return nil }
        i += step
        let t = threshold(k, bias)
        if digit < t { break }
        weight *= base - t
        guard weight < 1 << 40 else { return nil }
        k += base
      }
      bias = adapt(i - before, points: output.count + 1, first: before == 0)
      n += i / (output.count + 1)
      i %= output.count + 1
      guard n <= 0x10FFFF, let scalar = Unicode.Scalar(UInt32(n)) else { return nil }
      output.insert(scalar, at: i)
      i += 1
    }
    return output
  }
}
