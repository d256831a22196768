import Testing
import WaymarkText

@Suite struct CheckDigitTests {
  private static let right: [(CheckDigit, String)] = [
    (.luhn, "4111111111111111"), (.luhn, "490154203237518"), (.mod11, "0000000121032683"), (.mod11, "000000021694233X"),
    (.mod37, "A12425GABC1234002M"), (.gtin, "4006381333931"), (.gtin, "96385074"), (.vin, "1M8GDM9AXKP042788"),
    (.iban, "DE89370400440532013000"), (.iban, "GB82WEST12345698765432"), (.mod97, "79444"),
  ]

  @Test(arguments: right) func knownNumbersHold(_ check: CheckDigit, _ number: String) {
    #expect(check.holds(for: number))
  }

  /// Every one of these finds every single wrong character.
  @Test(arguments: right) func oneWrongCharacterIsFound(_ check: CheckDigit, _ number: String) {
    let characters = Array(number)
    for i in characters.indices where characters[i].isNumber {
      for digit in "0123456789" where digit != characters[i] {
        var changed = characters
        changed[i] = digit
        #expect(!check.holds(for: String(changed)), "\(String(changed))")
      }
    }
  }

  @Test(arguments: CheckDigit.allCases) func whatIsNoNumberIsRefused(_ check: CheckDigit) {
    for text in ["", "0", "ÄÖ", "12 34", String(repeating: "1", count: 100)] { #expect(!check.holds(for: text)) }
  }

  @Test func anIBANHasTheLengthOfItsCountry() {
    #expect(!CheckDigit.iban.holds(for: "DE8937040044053201300"))
    #expect(!CheckDigit.iban.holds(for: "QQ89370400440532013000"))
  }
}
