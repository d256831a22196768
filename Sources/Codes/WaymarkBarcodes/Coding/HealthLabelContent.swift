import WaymarkSystem

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
