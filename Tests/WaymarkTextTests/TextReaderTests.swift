import Testing
import WaymarkImage

@testable import WaymarkText

/// Two networks read a line, and the surer one counts.
struct TextReaderTests {
  /// Four dark bars on a light ground: a line that fills the picture.
  private let picture = GrayImage(width: 120, height: 40) { target in
    for i in 0..<(120 * 40) { target[i] = (i % 120) % 30 < 12 && (8..<32).contains(i / 120) ? 20 : 230 }
  }

  private func says(_ text: String, _ share: Double) -> LineLattice {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
    let columns = text.flatMap { character -> [LineLattice.Column] in
      let label = (alphabet.firstIndex(of: character) ?? 0) + 1
      return [
        .init(choices: [.init(label: label, share: share), .init(label: 0, share: 1 - share)]),
        .init(choices: [.init(label: 0, share: 1)]),
      ]
    }
    return LineLattice(alphabet: alphabet, columns: columns)
  }

  private func read(tesseract: String, _ sure: Double, own: LineLattice?) throws -> [ReadLine] {
    var reader = TextReader { _, _, _ in tesseract.map { ReadSymbol(String($0), confidence: sure) } }
    reader.lattice = { drawn in
      #expect(drawn.height == LineLattice.height)
      return own
    }
    return try picture.withView { try reader.read($0) }
  }

  @Test func theSurerOneIsBelieved() throws {
    #expect(try read(tesseract: "B8B8", 0.7, own: says("BBBB", 0.9)).map(\.text) == ["BBBB"])
    #expect(try read(tesseract: "B8B8", 0.95, own: says("BBBB", 0.9)).map(\.text) == ["B8B8"])
    #expect(try read(tesseract: "B8B8", 0.7, own: nil).map(\.text) == ["B8B8"])
  }

  @Test func withoutTesseractItsOwnReads() throws {
    #expect(try read(tesseract: "", 0, own: says("AB12", 0.9)).map(\.text) == ["AB12"])
    #expect(try read(tesseract: "", 0, own: says("", 0.9)).isEmpty)
    #expect(try read(tesseract: "", 0, own: nil).isEmpty)
  }

  /// Its views of a line are not independent: they are one witness beside Tesseract's drawings.
  @Test func itsViewsAreOneWitness() throws {
    let lines = try read(tesseract: "4006381333931", 0.9, own: says("4006381333931", 0.99))
    #expect(lines.first?.readings.count == 1 + LinePicture.Style.all.count)
    let acceptance = try TextAcceptance([try TextPattern.named("gtin")])
    #expect(acceptance.accepted(in: lines).map(\.isDoubtful) == [false])
    let alone = try read(tesseract: "", 0, own: says("4006381333931", 0.99))
    #expect(acceptance.accepted(in: alone).map(\.text) == ["4006381333931"])
  }

  @Test func onlyWhatAPatternAllowsIsSaid() throws {
    var reader = TextReader { _, _, _ in [] }
    reader.alphabet = .digits
    var own = says("1O", 0.9).columns
    own[2].choices.insert(.init(label: 27, share: 0.3), at: 1)
    reader.lattice = { _ in LineLattice(alphabet: says("", 1).alphabet, columns: own) }
    #expect(try picture.withView { try reader.read($0) }.map(\.text) == ["10"])
  }
}
