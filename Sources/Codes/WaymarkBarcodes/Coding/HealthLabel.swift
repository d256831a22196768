import WaymarkSystem

/// The content of a code on a label of hospitals or pharmacies, split into fields as the standard of the label defines.
/// `LabelDate` below checks and formats their dates.
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
