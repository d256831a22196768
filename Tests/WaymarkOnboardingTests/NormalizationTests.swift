import Foundation
import Testing

@testable import WaymarkOnboarding

@Suite struct NormalizationTests {
  /// Foundation is another implementation, of an older Unicode: it leaves the newest characters as they are.
  @Test func everyCharacterAsFoundationHasIt() {
    var newer = 0
    var wrong: Set<UInt32> = []
    for scalar in (UInt32(0)...0x10FFFF).lazy.compactMap(Unicode.Scalar.init) {
      for text in [String(Character(scalar)), "e\(scalar)"] {
        let canonical = text.precomposedStringWithCanonicalMapping
        if !text.canonicallyComposed.unicodeScalars.elementsEqual(canonical.unicodeScalars) {
          wrong.insert(scalar.value)
        }
        let compatible = text.precomposedStringWithCompatibilityMapping
        if text.compatiblyComposed.unicodeScalars.elementsEqual(compatible.unicodeScalars) { continue }
        newer += 1
        if !compatible.unicodeScalars.elementsEqual(text.unicodeScalars) { wrong.insert(scalar.value) }
      }
    }
    #expect(wrong.isEmpty)
    #expect(newer < 200)
  }

  /// By hand, after UAX #15.
  @Test(arguments: [
    ("ｅｘａｍｐｌｅ．ｃｏｍ", "example.com"), ("ﬁ", "fi"), ("Ⅷ", "VIII"), ("e\u{301}", "\u{E9}"),
    // A canonical decomposition whose part has a compatibility mapping.
    ("\u{1E9B}", "\u{1E61}"), ("\u{1E9B}\u{323}", "\u{1E69}"),
    // Outlined capitals of Unicode 16.
    ("\u{1CCD6}", "A"), ("가", "가"), ("\u{1100}\u{1161}", "가"),
  ]) func compatibility(text: String, composed: String) {
    #expect(text.compatiblyComposed.unicodeScalars.elementsEqual(composed.unicodeScalars))
  }

  /// LINEAR B SYLLABLE B025 A2 has the lower sixteen bits of the letter A, with which an accent would be composed.
  @Test func charactersBeyondSixteenBitsStay() {
    let text = "\u{10041}\u{301}"
    #expect(text.canonicallyComposed.unicodeScalars.elementsEqual(text.unicodeScalars))
  }
}
