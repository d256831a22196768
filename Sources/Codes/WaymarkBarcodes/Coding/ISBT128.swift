/// Splits ISBT 128 (ICCBBA ST-001) into fields: a code has one or several data structures, which begin with an identifier of two
/// characters.
enum ISBT128 {
  typealias Field = HealthLabel.Field

  /// The structures of constant length: their identifiers, and their parts with lengths in characters.
  private static let structures: [(identifier: String, parts: [(name: String, length: Int)])] = [
    ("=%", [("bloodGroup", 4)]), ("=<", [("product", 5), ("collection", 1), ("division", 2)]), ("=>", [("expires", 6)]),
    ("&>", [("expires", 10)]), ("=*", [("collected", 6)]), ("&*", [("collected", 10)]), ("=}", [("produced", 6)]),
    ("&}", [("produced", 10)]), ("=+", [("structures", 2), ("message", 3)]),
  ]
  /// The lengths of a donation number and of its flags. The second character of the identifier is also the first of the number.
  private static let donation = (number: 13, flags: 2)
  /// The largest number of structures in a code.
  private static let most = 20

  /// Returns the parts of a content that consists of known structures; `nil` for any other content.
  static func fields(_ text: String) -> [Field]? {
    guard text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
    var rest = text[...]
    var fields: [Field] = []
    for _ in 0..<most where !rest.isEmpty {
      guard let found = structure(&rest) else { return nil }
      fields += found
    }
    return rest.isEmpty && !fields.isEmpty ? fields : nil
  }

  private static func structure(_ rest: inout Substring) -> [Field]? {
    guard let row = structures.first(where: { rest.hasPrefix($0.identifier) }) else { return donation(&rest) }
    rest = rest.dropFirst(2)
    var fields: [Field] = []
    for part in row.parts {
      let value = rest.prefix(part.length)
      guard value.count == part.length, value.allSatisfy(isAlphanumeric) else { return nil }
      rest = rest.dropFirst(part.length)
      let isDate = ["expires", "collected", "produced"].contains(part.name)
      guard let shown = isDate ? date(value) : String(value) else { return nil }
      fields.append(Field(part.name, shown))
    }
    return fields
  }

  /// Takes a donation number (five characters of the facility, two of the year, six of the sequence) and the two flags after it from
  /// the start of a text; `nil` if it begins otherwise.
  private static func donation(_ rest: inout Substring) -> [Field]? {
    let number = rest.dropFirst().prefix(donation.number)
    let flags = rest.dropFirst(1 + donation.number).prefix(donation.flags)
    guard rest.first == "=", flags.count == donation.flags, let first = number.first, first != "0", first != "O",
      number.prefix(5).allSatisfy(isAlphanumeric), number.dropFirst(5).allSatisfy(\.isASCIIDigit),
      flags.allSatisfy(isAlphanumeric)
    else { return nil }
    rest = rest.dropFirst(1 + donation.number + donation.flags)
    return [Field("donation", number), Field("flags", flags)]
  }

  /// Returns the date, or date and time, from three digits of the year, three of the day in it, and optionally hour and minute;
  /// `nil` if there is no such date or time.
  private static func date(_ digits: Substring) -> String? {
    guard digits.allSatisfy(\.isASCIIDigit), let year = Int(digits.prefix(3)),
      let date = LabelDate.date(
        year: year < 900 ? 2000 + year : 1000 + year, dayOfYear: Int(digits.dropFirst(3).prefix(3)))
    else { return nil }
    guard digits.count > 6 else { return date }
    let (hour, minute) = (digits.dropFirst(6).prefix(2), digits.suffix(2))
    guard let hours = Int(hour), let minutes = Int(minute), hours < 24, minutes < 60 else { return nil }
    return "\(date)T\(hour):\(minute)"
  }

  private static func isAlphanumeric(_ character: Character) -> Bool {
    character.isASCIIDigit || ("A"..."Z").contains(character)
  }
}
