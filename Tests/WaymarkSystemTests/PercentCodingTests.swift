import Testing
import WaymarkSystem

@Suite struct PercentCodingTests {
  @Test(arguments: [
    ("plain+text", "plain+text"), ("a%20b", "a b"), ("B%C3%BCro", "Büro"), ("%2f%2F", "//"), ("%00", "\0"), ("", ""),
  ])
  func textsAreDecoded(_ text: String, _ plain: String) { #expect(PercentCoding.decode(text.utf8) == plain) }

  @Test(arguments: ["%", "a%4", "%zz", "%+1", "%FF", "%C3"])
  func whatIsMalformedIsNone(_ text: String) { #expect(PercentCoding.decode(text.utf8) == nil) }

  @Test func queriesAreItems() throws {
    let items = try #require(PercentCoding.items("a=1&b=x%3Dy&&c&a=2"))
    #expect(items.map(\.name) == ["a", "b", "c", "a"])
    #expect(items.map(\.value) == ["1", "x=y", "", "2"])
    #expect(PercentCoding.items("a=%zz") == nil)
    #expect(PercentCoding.items(String(repeating: "a&", count: 256))?.count == 256)
    #expect(PercentCoding.items(String(repeating: "a&", count: 257)) == nil)
  }
}
