/// One element string of GS1: an application identifier and its value. `GTIN` below computes check digits.
public struct GS1Element: Hashable, Sendable {
  /// The application identifier, two to four digits.
  public var identifier: String
  /// The value without separators.
  public var value: String

  /// Creates an element; neither the identifier nor the value is checked.
  public init(identifier: String, value: String) {
    self.identifier = identifier
    self.value = value
  }

  /// Parses a concatenation of element strings.
  ///
  /// GS1 General Specifications, section 7.8: identifiers of predefined length need no separator, all others end at a
  /// group separator (ASCII 29) or at the end.
  ///
  /// - Returns: the elements; `nil` if the text is not a concatenation of element strings.
  public static func parse(_ text: String) -> [GS1Element]? {
    var rest = Substring(text)
    var elements: [GS1Element] = []
    while let first = rest.first {
      if first == "\u{1D}" {
        rest.removeFirst()
        continue
      }
      guard let length = identifierLength(rest), rest.count > length else { return nil }
      let identifier = String(rest.prefix(length))
      rest.removeFirst(length)
      let value: Substring
      if let fixed = predefinedLength(identifier) {
        value = rest.prefix(fixed)
        guard value.count == fixed, value.allSatisfy(\.isASCIIDigit) else { return nil }
      } else {
        value = rest.prefix { $0 != "\u{1D}" }
        guard !value.isEmpty, value.count <= 90 else { return nil }
      }
      rest.removeFirst(value.count)
      if ["00", "01", "02"].contains(identifier), !GTIN.hasValidCheckDigit(value) { return nil }
      elements.append(GS1Element(identifier: identifier, value: String(value)))
    }
    return elements.isEmpty ? nil : elements
  }

  /// The element in human-readable form: the identifier in brackets, then the value.
  public var description: String { "(\(identifier))\(value)" }

  /// Concatenates element strings, with separators (ASCII 29) where they are needed.
  package static func concatenated(_ elements: [GS1Element]) -> String {
    elements.enumerated().map { index, element in
      let isOpen = index + 1 < elements.count && predefinedLength(element.identifier) == nil
      return element.identifier + element.value + (isOpen ? "\u{1D}" : "")
    }.joined()
  }

  /// Returns the number of digits of the identifier at the start of a text, from its first two or three digits (GS1
  /// General Specifications, figure 3.2-1).
  private static func identifierLength(_ text: Substring) -> Int? {
    let head = text.prefix(4)
    guard head.count >= 2, head.prefix(2).allSatisfy(\.isASCIIDigit), let two = Int(head.prefix(2)) else { return nil }
    let length: Int
    switch two {
    case 0...4, 10...13, 15...17, 20...22, 30, 37, 90...99: length = 2
    case 23...25, 40...42, 71: length = 3
    case 31...36, 39, 43, 70, 72, 80...82: length = 4
    default: return nil
    }
    return head.prefix(length).count == length && head.prefix(length).allSatisfy(\.isASCIIDigit) ? length : nil
  }

  /// Returns the length of the value if it is predefined, so that no separator is needed (GS1 General Specifications,
  /// figure 7.8.4-2), without the identifier.
  private static func predefinedLength(_ identifier: String) -> Int? {
    switch Int(identifier.prefix(2)) ?? -1 {
    case 0: 18
    case 1...3: 14
    case 4: 16
    case 11...19: 6
    case 20: 2
    case 31...36: 6
    case 41: 13
    default: nil
    }
  }
}

// MARK: - Check digits

extension Character {
  /// True if the character is an ASCII digit.
  var isASCIIDigit: Bool { ("0"..."9").contains(self) }
}

/// Computes the check digit of GS1 keys (GS1 General Specifications, section 7.9.1): weights 3 and 1 from the right.
package enum GTIN {
  /// Returns whether the last of at least two digits is the check digit of the others; false for other characters.
  package static func hasValidCheckDigit(_ digits: some StringProtocol) -> Bool {
    guard digits.count > 1, let sum = sum(digits.utf8.reversed(), first: 1) else { return false }
    return sum.isMultiple(of: 10)
  }

  /// Returns the check digit to append to `digits`; empty if they are not digits.
  static func checkDigit(for digits: some StringProtocol) -> String {
    sum(digits.utf8.reversed(), first: 3).map { "\((10 - $0 % 10) % 10)" } ?? ""
  }

  private static func sum(_ digits: some Sequence<UInt8>, first: Int) -> Int? {
    var sum = 0
    for (index, digit) in digits.enumerated() {
      guard (48...57).contains(digit) else { return nil }
      sum += Int(digit - 48) * (index.isMultiple(of: 2) ? first : 4 - first)
    }
    return sum
  }
}
