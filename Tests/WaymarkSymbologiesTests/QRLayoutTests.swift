import Testing

@testable import WaymarkBarcodes

@Suite struct QRLayoutTests {
  @Test(arguments: [
    (2, [6, 18]), (7, [6, 22, 38]), (14, [6, 26, 46, 66]), (32, [6, 34, 60, 86, 112, 138]),
    (40, [6, 30, 58, 86, 114, 142, 170]),
  ])
  func alignmentLinesAreThoseOfTheStandard(version: Int, lines: [Int]) {
    #expect(QRLayout(version: version)?.alignmentLines == lines)
  }

  @Test func formatAndVersionWordsAreThoseOfTheStandard() {
    // ISO/IEC 18004 annexes C and D: level M, mask 5 and version 7.
    #expect(QRFormat.format(0b100_0000_1100_1110).data == 0b00101)
    #expect(QRFormat.format(0b100_0000_1100_1110).errors == 0)
    #expect(QRFormat.format(0b100_0000_1100_1010).data == 0b00101)
    #expect(QRFormat.golay(7) == 0b00_0111_1100_1001_0100)
  }

  @Test func nearestLayoutOfAMeasuredSide() {
    #expect(QRLayout(nearestSide: 22.4)?.version == 1)
    #expect(QRLayout(nearestSide: 46)?.version == 7)
    #expect(QRLayout(nearestSide: .nan) == nil)
    #expect(QRLayout(nearestSide: 400) == nil)
  }
}
