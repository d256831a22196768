/// The check digit schemes of numbers on goods and documents.
package enum CheckDigit: String, Hashable, Sendable, CaseIterable {
  /// ISO/IEC 7812-1, annex B: payment cards, IMEI.
  case luhn
  /// ISO/IEC 7064, MOD 97-10: two check digits at the end.
  case mod97 = "mod97-10"
  /// ISO/IEC 7064, MOD 11-2: ISNI, ORCID; the check digit may be X.
  case mod11 = "mod11-2"
  /// ISO/IEC 7064, MOD 37-36: letters and digits.
  case mod37 = "mod37-36"
  /// GS1 General Specifications 7.9: GTIN-8, -12, -13, -14, SSCC.
  case gtin
  /// 49 CFR 565.15: vehicle identification numbers; the check digit is the ninth of seventeen characters.
  case vin
  /// ISO 13616: the country code and two check digits come first.
  case iban

  /// Returns whether a text without spaces and hyphens has the correct check digit. Case is ignored.
  package func holds(for text: String) -> Bool {
    let bytes = Array(text.uppercased().utf8)
    guard bytes.count >= 2, bytes.count <= 64 else { return false }
    switch self {
    case .luhn: return Self.luhn(bytes)
    case .mod97: return Self.remainder97(bytes) == 1
    case .mod11: return Self.mod11(bytes)
    case .mod37: return Self.mod37(bytes)
    case .gtin: return Self.gtin(bytes)
    case .vin: return Self.vin(bytes)
    case .iban: return Self.iban(bytes)
    }
  }

  private static func digits(_ bytes: [UInt8]) -> [Int]? {
    guard bytes.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return bytes.map { Int($0) - 0x30 }
  }

  /// Returns the value of a character: 0 to 9 for digits, 10 to 35 for A to Z; `nil` for others.
  static func value(_ byte: UInt8) -> Int? {
    switch byte {
    case 0x30...0x39: Int(byte) - 0x30
    case 0x41...0x5A: Int(byte) - 0x41 + 10
    default: nil
    }
  }

  private static func luhn(_ bytes: [UInt8]) -> Bool {
    guard let digits = digits(bytes) else { return false }
    let sum = digits.reversed().enumerated().reduce(0) { sum, item in
      let doubled = item.offset % 2 == 1 ? 2 * item.element : item.element
      return sum + (doubled > 9 ? doubled - 9 : doubled)
    }
    return sum % 10 == 0
  }

  private static func remainder97(_ bytes: some Sequence<UInt8>) -> Int? {
    var remainder = 0
    for byte in bytes {
      guard let value = value(byte) else { return nil }
      remainder = (remainder * (value > 9 ? 100 : 10) + value) % 97
    }
    return remainder
  }

  private static func mod11(_ bytes: [UInt8]) -> Bool {
    guard let digits = digits(Array(bytes.dropLast())), let last = bytes.last else { return false }
    let check = last == 0x58 ? 10 : digitValue(last)
    guard let check else { return false }
    let product = digits.reduce(0) { ($0 + $1) * 2 % 11 }
    return (product + check) % 11 == 1
  }

  private static func digitValue(_ byte: UInt8) -> Int? { (0x30...0x39).contains(byte) ? Int(byte) - 0x30 : nil }

  private static func mod37(_ bytes: [UInt8]) -> Bool {
    var product = 36
    for byte in bytes.dropLast() {
      guard let value = value(byte) else { return false }
      var sum = (product + value) % 36
      if sum == 0 { sum = 36 }
      product = sum * 2 % 37
    }
    guard let check = bytes.last.flatMap(value) else { return false }
    return (product + check) % 36 == 1
  }

  private static func gtin(_ bytes: [UInt8]) -> Bool {
    guard [8, 12, 13, 14, 18].contains(bytes.count), let digits = digits(bytes) else { return false }
    let sum = digits.reversed().enumerated().reduce(0) { $0 + ($1.offset % 2 == 1 ? 3 : 1) * $1.element }
    return sum % 10 == 0
  }

  private static func vin(_ bytes: [UInt8]) -> Bool {
    guard bytes.count == 17 else { return false }
    let weights = [8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2]
    let letters = Array("ABCDEFGHJKLMNPRSTUVWXYZ".utf8)
    let numbers = [1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 7, 9, 2, 3, 4, 5, 6, 7, 8, 9]
    var sum = 0
    for (byte, weight) in zip(bytes, weights) {
      guard let value = digitValue(byte) ?? letters.firstIndex(of: byte).map({ numbers[$0] }) else { return false }
      sum += value * weight
    }
    return bytes[8] == (sum % 11 == 10 ? 0x58 : UInt8(0x30 + sum % 11))
  }

  /// The lengths of IBANs by country (SWIFT IBAN registry, release 99).
  private static let ibanLengths: [String: Int] = [
    "AD": 24, "AE": 23, "AL": 28, "AT": 20, "AZ": 28, "BA": 20, "BE": 16, "BG": 22, "BH": 22, "BI": 27, "BR": 29,
    "BY": 28, "CH": 21, "CR": 22, "CY": 28, "CZ": 24, "DE": 22, "DJ": 27, "DK": 18, "DO": 28, "EE": 20, "EG": 29,
    "ES": 24, "FI": 18, "FK": 18, "FO": 18, "FR": 27, "GB": 22, "GE": 22, "GI": 23, "GL": 18, "GR": 27, "GT": 28,
    "HN": 28, "HR": 21, "HU": 28, "IE": 22, "IL": 23, "IQ": 23, "IS": 26, "IT": 27, "JO": 30, "KW": 30, "KZ": 20,
    "LB": 28, "LC": 32, "LI": 21, "LT": 20, "LU": 20, "LV": 21, "LY": 25, "MC": 27, "MD": 24, "ME": 22, "MK": 19,
    "MN": 20, "MR": 27, "MT": 31, "MU": 30, "NI": 28, "NL": 18, "NO": 15, "OM": 23, "PK": 24, "PL": 28, "PS": 29,
    "PT": 25, "QA": 29, "RO": 24, "RS": 22, "RU": 33, "SA": 24, "SC": 31, "SD": 18, "SE": 24, "SI": 19, "SK": 24,
    "SM": 27, "SO": 23, "ST": 25, "SV": 28, "TL": 23, "TN": 24, "TR": 26, "UA": 29, "VA": 22, "VG": 24, "XK": 20,
    "YE": 30,
  ]

  private static func iban(_ bytes: [UInt8]) -> Bool {
    guard bytes.count > 4, digits(Array(bytes[2..<4])) != nil,
      ibanLengths[String(decoding: bytes[..<2], as: UTF8.self)] == bytes.count
    else { return false }
    return remainder97(bytes[4...] + bytes[..<4]) == 1
  }
}
