/// The Bootstring encoding of internationalised host labels (RFC 3492, with the parameters of section 5).
package enum Punycode {
  private static let base = 36
  private static let tMin = 1
  private static let tMax = 26
  private static let skew = 38
  private static let damp = 700
  private static let initialBias = 72
  private static let initialN = 0x80

  /// Section 6.1.
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

  /// A label without the `xn--` in front; nil when it grows beyond what a label can hold (section 6.3).
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

  /// The label behind what follows `xn--`; nil when it is not punycode (section 6.2).
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
        // 63 digits cannot overflow 64 bits unnoticed: every step is checked.
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
