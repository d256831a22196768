import Testing

@testable import WaymarkBarcodes

@Suite struct HealthLabelTests {
  private func fields(_ text: String, _ symbology: Symbology) -> [String]? {
    HealthLabel(text, symbology)?.fields.map { "\($0.name)=\($0.value)" }
  }

  @Test(
    "products, batches and data of providers",
    arguments: [
      ("+A123BJC5D6E71G", ["labeler=A123", "product=BJC5D6E7", "unit=1"]),
      ("+A99912345/$$52001510X3H", ["labeler=A999", "product=1234", "unit=5", "expires=2020-01-15", "lot=10X3"]),
      (
        "+A99912345/$10X3/16D20111231/14D20200131/Q500Q",
        [
          "labeler=A999", "product=1234", "unit=5", "lot=10X3", "manufactured=2011-12-31", "expires=2020-01-31",
          "quantity=500",
        ]
      ),
      ("+/EO523201/KN77J", ["where=E", "what=O", "value=523201", "where.2=K", "what.2=N", "value.2=77"]),
    ])
  func hibc(text: String, expected: [String]) {
    let checked = checked(String(text.dropLast()))
    #expect(fields(checked, .dataMatrix) == expected)
    #expect(HealthLabel(checked, .qr)?.check == .modulo43)
    #expect(fields(String(text.dropLast()) + (checked.last == "A" ? "B" : "A"), .dataMatrix) == nil, "wrong check")
    #expect(fields(checked, .ean13) == nil, "no carrier")
  }

  /// Returns a text with its check character.
  private func checked(_ text: String) -> String {
    let alphabet = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-. $/+%")
    return text + String(alphabet[text.compactMap(alphabet.firstIndex).reduce(0, +) % 43])
  }

  @Test(
    "the forms of dates",
    arguments: [
      ("+$$0928LOT1L", ["expires=2028-09", "lot=LOT1", "link=L"]),
      ("+$$2092928LOT1L", ["expires=2028-09-29", "lot=LOT1", "link=L"]),
      ("+$$3280229LOT1L", ["expires=2028-02-29", "lot=LOT1", "link=L"]),
      ("+$$428022905LOT1L", ["expires=2028-02-29T05", "lot=LOT1", "link=L"]),
      ("+$$528366LOT1L", ["expires=2028-12-31", "lot=LOT1", "link=L"]),
      ("+$$62806023LOT1L", ["expires=2028-02-29T23", "lot=LOT1", "link=L"]),
      ("+$$7LOT1L", ["lot=LOT1", "link=L"]), ("+$$8240928L", ["quantity=24", "expires=2028-09", "link=L"]),
      ("+$$900123328022977L", ["quantity=00123", "expires=2028-02-29", "lot=77", "link=L"]),
      ("+$$+7SN1L", ["serial=SN1", "link=L"]), ("+$LOT1L", ["lot=LOT1", "link=L"]),
      ("+$+SN1L", ["serial=SN1", "link=L"]),
      ("+28060LOT1L", ["expires=2028-02-29", "lot=LOT1", "link=L"]),
    ])
  func dates(text: String, expected: [String]) {
    #expect(fields(checked(text), .code39) == expected)
    #expect(fields(checked(text), .qr) == nil, "a telephone number may look so")
  }

  @Test(arguments: [
    "+$$1328LOT1L", "+$$3270229LOT1L", "+$$527366LOT1L", "+28367LOT1L", "+$$L", "+A12L", "+A123BJC5D6E7X",
  ])
  func refusesOtherForms(text: String) { #expect(fields(checked(text), .code39) == nil) }

  @Test("a blank as check character is not trimmed")
  func blank() {
    let text = checked("+A123H7")
    #expect(text.hasSuffix(" "))
    #expect(fields(text, .code39) == ["labeler=A123", "product=H", "unit=7"])
    #expect(Code39FullASCII.resolve(text) == nil)
  }

  @Test func donations() {
    #expect(fields("=G12342612345600", .code128) == ["donation=G123426123456", "flags=00"])
    #expect(
      fields("=G12342612345600=<E0791V00&>0260702359=%5100", .dataMatrix) == [
        "donation=G123426123456", "flags=00", "product=E0791", "collection=V", "division=00",
        "expires=2026-03-11T23:59", "bloodGroup=5100",
      ])
    #expect(HealthLabel("=%5100", .code128)?.check == nil)
    for text in ["=G1234261234560", "=0123426123456700", "=>026367", "&>0260702460", "=%510", "=<E0791V00X", "="] {
      #expect(fields(text, .code128) == nil, "\(text)")
    }
    #expect(fields("=%5100", .qr) == nil)
  }

  @Test("numbers of medicines with seven and eight digits, and their check")
  func pzn() {
    #expect(fields("-12345678", .code39) == ["number=12345678"])
    #expect(fields("-1234562", .code39) == ["number=01234562"])
    #expect(HealthLabel("-12345678", .code39)?.check == .modulo11)
    #expect((0..<10).filter { fields("-1234567\($0)", .code39) != nil } == [8])
    // The remainder of ten is not issued.
    #expect((0..<10).allSatisfy { fields("-1000006\($0)", .code39) == nil })
    for text in ["12345678", "-123456", "-123456789", "-1234567A"] { #expect(fields(text, .code39) == nil) }
    #expect(fields("-12345678", .code128) == nil)
  }

  @Test("six characters are an Italian medicine on request only, with their text beside")
  func code32() {
    #expect(fields("A931028462", .code32) == ["number=931028462", "code39=\(Code39.code32(931_028_462))"])
    #expect(Code39.code32(Code39.code32(931_028_462)) == "A931028462")
    #expect(fields(Code39.code32(931_028_462), .code39) == nil)
  }
}
