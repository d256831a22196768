import Testing

@testable import WaymarkBarcodes

/// The encoders are written from the descriptions of the symbologies, independently of the readers' tables.
@Suite struct TwoWidthCodeTests {
  /// A line with quiet zones of twelve modules.
  ///
  /// - Parameters:
  ///   - widths: the widths of bars and spaces in modules, a bar first.
  ///   - spread: how much wider the ink makes each bar, in modules.
  private func line(_ widths: [Double], spread: Double = 0) -> LinearLine {
    var edges = [12.0]
    for width in widths { edges.append(edges[edges.count - 1] + width) }
    let spreads = edges.enumerated().map { $1 + ($0.isMultiple(of: 2) ? -spread : spread) / 2 }
    return LinearLine(edges: spreads.map { 3 * $0 }, length: 3 * (edges[edges.count - 1] + 12))
  }

  /// Each bit of a digit, the highest first: a bar and a space of 2 and 1 modules for 1, of 1 and 2 for 0.
  private func msi(_ digits: [Int]) -> [Double] {
    [2, 1] + digits.flatMap { digit in [8, 4, 2, 1].flatMap { digit & $0 != 0 ? [2.0, 1] : [1, 2] } } + [1, 2, 1]
  }

  private func code11(_ text: String) -> [Double] {
    let patterns: [Character: String] = [
      "0": "11112", "1": "21112", "2": "12112", "3": "22111", "4": "11212", "5": "21211", "6": "12211", "7": "11122",
      "8": "21121", "9": "21111", "-": "11211",
    ]
    let all = ["11221"] + text.compactMap { patterns[$0] } + ["11221"]
    return Array(all.joined(separator: "1")).compactMap(\.wholeNumberValue).map(Double.init)
  }

  private func text(_ read: LinearRead?) -> String? { read.map { String(decoding: $0.bytes, as: UTF8.self) } }

  @Test(arguments: [-0.3, 0, 0.3])
  func readsAnMSIWithACheckDigitAlone(spread: Double) {
    #expect(text(MSI.read(line(msi([1, 2, 3, 4, 5, 6, 7, 4]), spread: spread))) == "12345674")
    // 4 modulo 10 (Luhn); modulo 11, the weighted sum 7·2+6·3+5·4+4·5+3·6+2·7+1·2 = 106 leaves 7, and the check is 4, too.
    let accepted = (0..<10).filter { MSI.read(line(msi([1, 2, 3, 4, 5, 6, 7, $0]), spread: spread)) != nil }
    #expect(accepted == [4])
  }

  @Test func readsAnyDigitsUnchecked() {
    for last in 0..<10 {
      #expect(text(MSI.unchecked(line(msi([1, 2, 3, 4, 5, 6, 7, last])))) == "1234567\(last)")
      #expect(text(Code11.unchecked(line(code11("123-455\(last)")))) == "123-455\(last)")
    }
    #expect(MSI.unchecked(line(msi([1, 2, 3, 4, 5]))) == nil, "too short")
    #expect(Code11.unchecked(line(code11("1234"))) == nil, "too short")
  }

  @Test func refusesValuesAboveNine() { #expect(MSI.read(line(msi([1, 2, 3, 4, 12, 6, 7, 4]))) == nil) }

  @Test(arguments: ["123-45521", "123-4574"])
  func readsACode11WithOneOrTwoChecks(content: String) {
    #expect(text(Code11.read(line(code11(content)))) == content)
    #expect(Code11.identified(content).identifier == (content == "123-45521" ? "]H1" : "]H0"))
    #expect(text(Code11.read(line(code11(content)).reversed)) == nil)
  }

  @Test func refusesACode11WithAWrongCheck() {
    let accepted = "0123456789-".filter { Code11.read(line(code11("123-455\($0)"))) != nil }
    #expect(accepted == "2")
  }

  /// Widths as drawn at 1.9 pixels a module with hard edges: narrow spaces have one or two pixels.
  @Test func readsAStandard2of5OfCoarsePixels() {
    let widths = "62622122222261622222216262212262612222625222222221622261226222522262215".compactMap(
      \.wholeNumberValue)
    #expect(text(PlainTwoOfFive.industrial(line(widths.map(Double.init)))) == "770649")
  }

  @Test func takesNoInterleavedCodeForAnotherTwoOfFive() {
    let five = ["11221", "21112", "12112", "22111", "11212", "21211", "12211", "11122", "21121", "12121"].map {
      Array($0).compactMap(\.wholeNumberValue).map { $0 == 2 ? 3.0 : 1 }
    }
    var widths: [Double] = [1, 1, 1, 1]
    for (bars, spaces) in [(1, 2), (3, 4), (5, 6), (7, 8), (9, 0)] {
      widths += zip(five[bars], five[spaces]).flatMap { [$0, $1] }
    }
    let interleaved = line(widths + [3, 1, 1])
    #expect(text(TwoOfFive.interleaved(interleaved)) == "1234567890")
    #expect(PlainTwoOfFive.iata(interleaved) == nil && PlainTwoOfFive.matrix(interleaved) == nil)
    #expect(PlainTwoOfFive.industrial(interleaved) == nil)
  }
}
