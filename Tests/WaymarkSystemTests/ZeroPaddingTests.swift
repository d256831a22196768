import Testing
import WaymarkSystem

@Suite struct ZeroPaddingTests {
  @Test func zerosStandInFrontOfShortNumbersOnly() {
    #expect(7.digits(3) == "007")
    #expect(1234.digits(3) == "1234")
    #expect(0.digits(1) == "0")
    #expect(UInt16(0xAB).digits(4, radix: 16, uppercase: true) == "00AB")
    #expect(35.digits(2, radix: 36) == "0z")
    #expect("12".zeroPadded(to: 5) == "00012")
    #expect("12345".zeroPadded(to: 2) == "12345")
  }
}
