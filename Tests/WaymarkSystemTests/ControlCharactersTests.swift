import Testing
import WaymarkSystem

@Suite struct ControlCharactersTests {
  @Test(
    arguments: ["\n", "\u{1B}", "\u{7F}", "\u{85}", "\u{9B}", "\u{2028}", "\u{202E}", "\u{2066}"] as [Unicode.Scalar])
  func acts(_ scalar: Unicode.Scalar) { #expect(scalar.isControl) }

  @Test(arguments: [" ", "a", "é", "中", "\u{A0}", "\u{200D}", "\u{FE0F}", "\u{1F600}"] as [Unicode.Scalar])
  func shows(_ scalar: Unicode.Scalar) { #expect(!scalar.isControl) }
}
