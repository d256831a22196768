/// A date in one of the formats printed on goods and documents. `TextNumber` below is a number with its unit.
package struct TextDate: Hashable, Sendable {
  package let year: Int
  package let month: Int
  /// The day, 1 to 31; `nil` if only month and year are printed.
  package let day: Int?

  private static let months = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"]
  /// German abbreviations of months, where they differ from English.
  private static let others = ["MRZ": 3, "MAI": 5, "OKT": 10, "DEZ": 12]

  /// Parses `2026-01-31`, `20260131`, `31.01.2026`, `31/01/26`, `31 JAN 2026` and `01/2026`, with days before months; `nil`
  /// if the text is not a date.
  package init?(_ text: String) {
    var parts: [String] = []
    var part = ""
    for character in text.uppercased() {
      switch character {
      case ".", "/", "-", " ":
        if !part.isEmpty { parts.append(part) }
        part = ""
      case _ where character.isASCII && (character.isNumber || character.isLetter):
        // In 31JAN2026, letters and digits alternate without a separator.
        if let last = part.last, last.isNumber != character.isNumber {
          parts.append(part)
          part = ""
        }
        part.append(character)
      default: return nil
      }
    }
    if !part.isEmpty { parts.append(part) }
    if parts.count == 1, parts[0].count == 8, Int(parts[0]) != nil {
      let word = parts[0]
      parts = [String(word.prefix(4)), String(word.dropFirst(4).prefix(2)), String(word.suffix(2))]
    }
    let values = parts.map { part in
      Self.months.firstIndex(of: part).map { ($0 + 1, true) } ?? Self.others[part].map { ($0, true) }
        ?? Int(part).map { ($0, false) }
    }
    let known = values.compactMap { $0 }
    guard known.count == parts.count else { return nil }
    let year: Int
    switch parts.count {
    case 3 where parts[0].count == 4 && !known[0].1: (year, month, day) = (known[0].0, known[1].0, known[2].0)
    case 3 where [2, 4].contains(parts[2].count) && parts[0].count <= 2 && !known[2].1 && !known[0].1:
      (year, month, day) = (known[2].0, known[1].0, known[0].0)
    case 2 where parts[1].count == 4 && !known[1].1 && (known[0].1 || parts[0].count <= 2):
      (year, month, day) = (known[1].0, known[0].0, nil)
    default: return nil
    }
    self.year = year < 100 ? 2000 + year : year
    let leap = self.year % 4 == 0 && (self.year % 100 != 0 || self.year % 400 == 0)
    let lengths = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    guard (1900...2199).contains(self.year), lengths.indices.contains(month - 1) else { return nil }
    if let day { guard (1...lengths[month - 1]).contains(day) else { return nil } }
  }
}

/// A number, with an optional unit, in one of the formats of meters and labels.
package struct TextNumber: Hashable, Sendable {
  package let value: Double
  /// The unit after the number; empty without one.
  package let unit: String

  private static let units: Set<String> = [
    "", "m", "cm", "mm", "km", "kg", "g", "mg", "t", "l", "L", "ml", "mL", "m³", "m3", "kWh", "Wh", "MWh", "kW", "W",
    "V", "A", "mA", "Hz",
    "kHz", "MHz", "bar", "mbar", "Pa", "kPa", "MPa", "°C", "°F", "K", "%", "€", "EUR", "$", "USD", "h", "min", "s",
    "rpm", "Nm", "N", "kVA",
    "VA", "Ω", "lb", "oz",
  ]

  /// Parses `1234`, `1 234,5 kWh`, `1.234,50 €`, `1,234.5`, `-3 °C`; `nil` for anything else, and for an unknown unit.
  package init?(_ text: String) {
    let number = text.prefix { $0.isASCII && $0.isNumber || ".,+-' ".contains($0) }
    let unit = text.dropFirst(number.count).filter { $0 != " " }
    guard Self.units.contains(unit) else { return nil }
    var digits = number.filter { $0 != " " && $0 != "'" }
    let marks = digits.filter { $0 == "." || $0 == "," }
    if let last = marks.last {
      let groups = digits.split(separator: last, omittingEmptySubsequences: false)
      let isGrouping = marks.allSatisfy { $0 == last } && marks.count > 1
      guard !isGrouping || groups.dropFirst().allSatisfy({ $0.count == 3 }) else { return nil }
      let other: Character = last == "." ? "," : "."
      digits = isGrouping ? digits.filter { $0 != last } : digits.filter { $0 != other }
      digits = String(digits.map { $0 == last ? "." : $0 })
    }
    guard digits.contains(where: \.isNumber), digits.last != ".", digits.count <= 18, let value = Double(digits) else {
      return nil
    }
    self.value = value
    self.unit = String(unit)
  }
}
