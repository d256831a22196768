import WaymarkSystem

/// The content of a code on a label of hospitals or pharmacies, split into fields as the standard of the label defines.
/// `LabelDate` below checks and formats their dates; an extension at the end recognises labels.
public struct HealthLabel: Hashable, Sendable {
  /// A standard of labels.
  public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
    /// Health Industry Bar Code: products of suppliers (LIC) and data of providers (PAS), ANSI/HIBC 2 and 1.
    case hibc
    /// ISBT 128: blood and other substances of human origin.
    case isbt128
    /// Pharmazentralnummer, the German number of a medicine.
    case pzn
    /// Code 32, the Italian number of a medicine.
    case code32
  }

  /// The kind of a check character.
  public enum Check: String, Hashable, Sendable, Codable, CaseIterable {
    /// Modulo 10, with the weights 1 and 2.
    case modulo10
    /// Modulo 11, with the weights 1 to 7.
    case modulo11
    /// Modulo 43, of the values of Code 39.
    case modulo43
  }

  /// A part of the content.
  public struct Field: Hashable, Sendable {
    /// The name of the part, such as `lot`.
    public var name: String
    /// The value; dates are in the form of ISO 8601.
    public var value: String

    /// Creates a field from a value of any string type.
    public init(_ name: String, _ value: some StringProtocol) { (self.name, self.value) = (name, String(value)) }
  }

  /// The standard of the label.
  public var kind: Kind
  /// The fields, in the order of the content; their names are unique.
  public var fields: [Field]
  /// The check character of the content, which was verified; nil where the standard has none.
  public var check: Check?
}

// MARK: - Dates

/// Dates of labels, in the form of ISO 8601.
enum LabelDate {
  /// Returns a date, or a month if `day` is `nil`; `nil` for numbers that are not a date.
  static func date(year: Int?, month: Int?, day: Int? = nil) -> String? {
    guard let year, let month, (1...12).contains(month) else { return nil }
    let start = "\(year)-\(month.digits(2))"
    guard let day else { return start }
    return (1...lengths(year)[month - 1]).contains(day) ? "\(start)-\(day.digits(2))" : nil
  }

  /// Returns the date of the n-th day of a year, from 1; `nil` if the year has no such day.
  static func date(year: Int?, dayOfYear: Int?) -> String? {
    guard let year, var day = dayOfYear, day > 0 else { return nil }
    for (month, length) in lengths(year).enumerated() {
      if day <= length { return date(year: year, month: month + 1, day: day) }
      day -= length
    }
    return nil
  }

  /// Returns the number of days of each month of a year.
  private static func lengths(_ year: Int) -> [Int] {
    let isLeap = year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
    return [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
  }
}

// MARK: - Recognition

/// Recognises the label of a content: the table of standards, and the fields of PZN and Code 32, whose content is a single number.
extension HealthLabel {
  /// A standard: its symbologies, its check, and a function that splits a text into fields, or returns `nil` if the text does not
  /// follow the standard.
  private typealias Row = (
    kind: Kind, carriers: Set<Symbology>, check: Check?,
    fields: @Sendable (_ text: String, _ isLinear: Bool) -> [Field]?
  )

  private static let rows: [Row] = [
    (.hibc, [.code39, .code128, .dataMatrix, .qr, .pdf417, .microPDF417, .aztec], .modulo43, HIBC.fields),
    (.isbt128, [.code128, .dataMatrix], nil, { text, _ in ISBT128.fields(text) }),
    (.pzn, [.code39], .modulo11, { text, _ in pzn(text) }),
    (.code32, [.code32], .modulo10, { text, _ in code32(text) }),
  ]

  /// Recognises the content of a code by its form and its check; `nil` if it is of none of the standards.
  public init?(_ text: String, _ symbology: Symbology) {
    // The longest is a PDF417 with data of a provider.
    guard text.utf8.count <= 500 else { return nil }
    for row in Self.rows where row.carriers.contains(symbology) {
      guard let fields = row.fields(text, !symbology.isMatrix) else { continue }
      (kind, self.fields, check) = (row.kind, [], row.check)
      // The names are unique, so that they can be the members of an object.
      for field in fields {
        let same = self.fields.count { $0.name == field.name || $0.name.hasPrefix("\(field.name).") }
        self.fields.append(same == 0 ? field : Field("\(field.name).\(same + 1)", field.value))
      }
      return
    }
    return nil
  }

  /// Returns the eight digits of a Pharmazentralnummer; an old number of seven digits gets a leading zero. `nil` for any other
  /// text, or a wrong check digit.
  private static func pzn(_ text: String) -> [Field]? {
    let digits = text.utf8.dropFirst().map { Int($0) - 48 }
    guard text.hasPrefix("-"), (7...8).contains(digits.count), digits.allSatisfy((0...9).contains) else { return nil }
    let padded = Array(repeating: 0, count: 8 - digits.count) + digits
    let sum = padded.dropLast().enumerated().reduce(0) { $0 + ($1.offset + 1) * $1.element }
    return sum % 11 == padded[7] ? [Field("number", padded.map(String.init).joined())] : nil
  }

  /// Returns the Italian number of a medicine, without the letter A, and the text of its Code 39; `nil` for any other text, or a
  /// wrong check digit.
  private static func code32(_ text: String) -> [Field]? {
    guard text.hasPrefix("A"), let number = Int(text.dropFirst()) else { return nil }
    let code39 = Code39.code32(number)
    guard Code39.code32(code39) == text else { return nil }
    return [Field("number", text.dropFirst()), Field("code39", code39)]
  }
}

extension Symbol {
  /// The content as a label of hospitals or pharmacies; `nil` if it has none of their forms. `text` is unchanged.
  public var label: HealthLabel? { HealthLabel(text, symbology) }
}
