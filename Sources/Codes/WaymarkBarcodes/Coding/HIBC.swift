import WaymarkSystem

/// Splits Health Industry Bar Codes into fields (ANSI/HIBC 2.6 for suppliers, LIC; ANSI/HIBC 1.3 for providers, PAS).
enum HIBC {
  typealias Field = HealthLabel.Field

  /// Returns the parts of a content; `nil` if it is not HIBC.
  ///
  /// - Parameter isLinear: true for the content of a 1-D code, which may be the batch alone, because product and batch may be in
  ///   two codes. A matrix code contains both, so a batch alone is not HIBC there.
  static func fields(_ text: String, isLinear: Bool) -> [Field]? {
    // The check character may be a blank.
    guard text.hasPrefix("+"), Code39.hasCheckCharacter(text) else { return nil }
    let data = text.dropFirst().dropLast()
    let parts = data.split(separator: "/", omittingEmptySubsequences: false)
    if data.hasPrefix("/") { return provider(parts.dropFirst()) }
    if let product = product(parts[0]) {
      guard parts.count > 1 else { return product }
      return batch(parts.dropFirst()).map { product + $0 }
    }
    // The check character of the product's code is repeated in the code of the batch, as its link to the product.
    guard isLinear, let link = data.last, data.count > 1 else { return nil }
    return batch(data.dropLast().split(separator: "/", omittingEmptySubsequences: false)[...]).map {
      $0 + [Field("link", String(link))]
    }
  }

  /// Returns the labeler, the product and the unit of measure; `nil` if the part has another form.
  private static func product(_ part: Substring) -> [Field]? {
    guard (6...23).contains(part.count), part.allSatisfy(isAlphanumeric), part.first?.isLetter == true,
      let unit = part.last, unit.isASCIIDigit
    else { return nil }
    return [
      Field("labeler", part.prefix(4)), Field("product", part.dropFirst(4).dropLast()), Field("unit", String(unit)),
    ]
  }

  /// Returns the fields of a provider's code. Each part has a letter for the location, a letter for the purpose, and a value.
  private static func provider(_ parts: ArraySlice<Substring>) -> [Field]? {
    var fields: [Field] = []
    for part in parts {
      guard part.count > 2, part.prefix(2).allSatisfy(isAlphanumeric) else { return nil }
      fields += [
        Field("where", part.prefix(1)), Field("what", part.dropFirst().prefix(1)), Field("value", part.dropFirst(2)),
      ]
    }
    return fields.isEmpty ? nil : fields
  }

  /// Returns the parts of a batch: the first has the lot or serial number, the others begin with an identifier.
  private static func batch(_ parts: ArraySlice<Substring>) -> [Field]? {
    guard let first = parts.first, var fields = lot(first) else { return nil }
    for part in parts.dropFirst() {
      if part.hasPrefix("S") {
        fields.append(Field("serial", part.dropFirst()))
      } else if part.hasPrefix("Q"), part.count > 1, part.dropFirst().allSatisfy(\.isASCIIDigit) {
        fields.append(Field("quantity", part.dropFirst()))
      } else if part.hasPrefix("14D") || part.hasPrefix("16D"), part.count == 11,
        let date = LabelDate.date(
          year: Int(part.dropFirst(3).prefix(4)), month: Int(part.dropFirst(7).prefix(2)), day: Int(part.suffix(2)))
      {
        fields.append(Field(part.hasPrefix("14D") ? "expires" : "manufactured", date))
      } else {
        return nil
      }
    }
    return fields
  }

  private static func lot(_ part: Substring) -> [Field]? {
    var rest = part
    let isDated = rest.hasPrefix("$$")
    rest = rest.drop { $0 == "$" }
    let dollars = part.count - rest.count
    guard dollars <= 2 else { return nil }
    let isSerial = dollars > 0 && rest.first == "+"
    if isSerial { rest.removeFirst() }
    var fields: [Field] = []
    if isDated {
      guard let dated = dates(&rest) else { return nil }
      fields = dated
    } else if dollars == 0 {
      guard let date = date("jjj", &rest) else { return nil }
      fields = [Field("expires", date)]
    }
    guard rest.count <= 18, rest.allSatisfy({ isAlphanumeric($0) || "-. ".contains($0) }) else { return nil }
    if !rest.isEmpty { fields.append(Field(isSerial ? "serial" : "lot", rest)) }
    return fields.isEmpty ? nil : fields
  }

  /// Takes the quantity and the date from the start of a text; both are optional, and a digit before each shows its form.
  private static func dates(_ rest: inout Substring) -> [Field]? {
    var fields: [Field] = []
    for (mark, count) in [("8", 2), ("9", 5)] where rest.hasPrefix(mark) {
      guard rest.count > count, rest.dropFirst().prefix(count).allSatisfy(\.isASCIIDigit) else { return nil }
      fields.append(Field("quantity", rest.dropFirst().prefix(count)))
      rest = rest.dropFirst(1 + count)
      break
    }
    guard let mark = rest.first else { return fields }
    let forms: [Character: String] = [
      "0": "my", "1": "my", "2": "mdy", "3": "ymd", "4": "ymdh", "5": "jjj", "6": "jjjh", "7": "",
    ]
    guard let form = forms[mark] else { return nil }
    if form != "my" { rest.removeFirst() }
    if form.isEmpty { return fields }
    guard let date = date(form, &rest) else { return nil }
    return fields + [Field("expires", date)]
  }

  /// Takes a date from the start of a text: `y`, `m`, `d` and `h` are two digits each, `jjj` is two digits of
  /// the year and three of the day in it.
  private static func date(_ form: String, _ rest: inout Substring) -> String? {
    func take(_ count: Int) -> Int? {
      let digits = rest.prefix(count)
      guard digits.count == count, digits.allSatisfy(\.isASCIIDigit) else { return nil }
      rest = rest.dropFirst(count)
      return Int(digits)
    }
    var found: [Character: Int] = [:]
    var date: String?
    if form.hasPrefix("jjj") {
      guard let year = take(2), let day = take(3) else { return nil }
      date = LabelDate.date(year: 2000 + year, dayOfYear: day)
      found["h"] = form.hasSuffix("h") ? take(2) : nil
    } else {
      for part in form {
        guard let value = take(2) else { return nil }
        found[part] = value
      }
      date = LabelDate.date(year: found["y"].map { 2000 + $0 }, month: found["m"], day: found["d"])
    }
    guard let date, form.hasSuffix("h") else { return date }
    return found["h"].flatMap { (0...23).contains($0) ? "\(date)T\($0.digits(2))" : nil }
  }

  private static func isAlphanumeric(_ character: Character) -> Bool {
    character.isASCIIDigit || ("A"..."Z").contains(character)
  }
}
