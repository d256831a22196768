import Testing
import WaymarkImage

@testable import WaymarkText

/// The text of columns of likelihoods, by the best path and by a path of so many characters.
struct LineLatticeTests {
  /// A lattice of columns such as "A:0.6 B:0.3": "-" stands for no character, as does the rest to 1.
  private func lattice(_ alphabet: String, _ columns: String...) -> LineLattice {
    let characters = Array(alphabet)
    return LineLattice(
      alphabet: characters,
      columns: columns.map { column in
        var choices = column.split(separator: " ").map { choice -> LineLattice.LabelShare in
          let parts = choice.split(separator: ":")
          let label =
            parts[0] == "-"
            ? 0 : (characters.firstIndex(of: parts[0] == "_" ? " " : Character(String(parts[0]))) ?? 0) + 1
          return LineLattice.LabelShare(label: label, share: Double(parts[1]) ?? 0)
        }
        let rest = 1 - choices.reduce(0) { $0 + $1.share }
        if rest > 1e-9, !choices.contains(where: { $0.label == 0 }) { choices.append(.init(label: 0, share: rest)) }
        return LineLattice.Column(choices: choices.sorted { $0.share > $1.share })
      })
  }

  @Test func columnsThatGoOnAreOneCharacter() {
    let reported = lattice("AB ", "A:0.9", "A:0.7 B:0.2", "-:1", "A:0.8", "_:0.9", "B:0.95").symbols()
    #expect(reported.map(\.text) == ["A", "A", "B"])
    #expect(reported.map(\.beginsWord) == [true, false, true])
    #expect(reported.map(\.confidence) == [0.9, 0.8, 0.95])
    #expect(reported[0].span == 0...(2.0 / 6))
    #expect(ReadLine.text(of: reported) == "AA B")
  }

  @Test func nothingSaysNothing() {
    #expect(lattice("A").symbols().isEmpty)
    #expect(lattice("A", "-:1", "-:1").symbols().isEmpty)
    #expect(lattice("A").symbols(at: [[1]]) == nil)
    #expect(lattice("A", "A:1").symbols(at: []) == nil)
  }

  @Test func anAlphabetLeavesOutWhatIsNotOfIt() {
    let columns = lattice("O01I", "O:0.6 0:0.4", "-:1", "I:0.7 1:0.3", "-:1", "0:0.9 O:0.1")
    #expect(columns.limited(to: .digits).symbols().map(\.text) == ["0", "1", "0"])
  }

  @Test func soManyCharactersAreFound() throws {
    // Fillers that ran together: two are seen, three are asked for.
    let columns = lattice("<A", "A:1", "<:0.9", "<:0.6", "<:0.9", "-:0.5 <:0.5", "<:0.9")
    #expect(columns.symbols().map(\.text).joined() == "A<<")
    let three = try #require(columns.symbols(at: [[2], [1], [1], [1]]))
    #expect(three.map(\.text).joined() == "A<<<")
    #expect(columns.symbols(at: [[2], [1], [1], [1], [1], [1], [1]]) == nil)
  }

  @Test func aPlaceGivesItsAlternatives() throws {
    let columns = lattice("O0A", "O:0.6 0:0.3", "-:1", "A:0.9 O:0.05 0:0.05")
    let symbols = try #require(columns.symbols(at: [[1, 2], [1, 3]]))
    #expect(symbols.map(\.text) == ["O", "A"])
    #expect(symbols[0].choices == [.init("O", 0.6), .init("0", 0.3)])
    #expect(symbols[1].choices == [.init("A", 0.9), .init("O", 0.05)])
    #expect(try #require(columns.symbols(at: [[2], [3]])).map(\.text) == ["0", "A"])
  }

  @Test func likelihoodsAreTemperedExponentials() {
    let logits: [Float] = [0, 2, -40, 1]
    let column = LineLattice.Column(logits: logits[...], temperature: 2)
    #expect(column.choices.map(\.label) == [1, 3, 0])
    let sum = 1 + Double.exponential(-0.5) + Double.exponential(-1)
    #expect(abs(column.choices[0].share - 1 / sum) < 1e-6)
    #expect(abs(column.choices[2].share - Double.exponential(-1) / sum) < 1e-6)
  }

  /// A line of 30 characters of which fillers ran together, a column each, and a doubtful zero.
  @Test func aLineOfAZoneIsAsLongAsItMustBe() throws {
    let text = "I<UTOD231458907<<<<<<<<<<<<<<<"
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789<a ")
    func label(_ character: Character) -> Int { (alphabet.firstIndex(of: character) ?? 0) + 1 }
    var columns: [LineLattice.Column] = []
    for (place, character) in text.enumerated() {
      var choices = [
        LineLattice.LabelShare(label: label(character), share: 0.9), .init(label: label("a"), share: 0.05),
      ]
      if character == "0" { choices = [.init(label: label("O"), share: 0.6), .init(label: label("0"), share: 0.4)] }
      columns.append(.init(choices: choices))
      // Between some fillers nothing is hardly seen.
      columns.append(
        .init(choices: [.init(label: place % 7 == 3 ? label(character) : 0, share: 0.7), .init(label: 0, share: 0.3)]))
    }
    let lattice = LineLattice(alphabet: alphabet, columns: columns)
    #expect(lattice.symbols().count < 30)
    let symbols = try #require(ZoneLattice.symbols(lattice))
    #expect(symbols.map(\.text).joined() == text.replacing("0", with: "O"))
    let zero = try #require(symbols.first { $0.text == "O" && $0.choices.count > 1 && $0.choices[1].text == "0" })
    // As alike as the likelihoods have it, so that a check digit may choose.
    #expect(zero.choices[0].confidence == 1 && zero.choices[1].confidence > 0.98)
    #expect(!symbols.contains { $0.text == "a" })
    // A line of another length is not taken for one.
    #expect(ZoneLattice.symbols(LineLattice(alphabet: alphabet, columns: Array(columns.prefix(20)))) == nil)
  }
}

@Suite struct LinePictureTests {
  /// A line of ten characters, 32 by 40 pixels, 14 apart.
  private func line(_ isInk: (_ x: Int, _ y: Int) -> Bool) -> GrayImage {
    GrayImage(width: 500, height: 72) { pixels in
      for y in 0..<72 {
        for x in 0..<500 {
          let (along, up) = (x - 20, y - 16)
          let isInside = (0..<460).contains(along) && (0..<40).contains(up) && along % 46 < 32
          pixels[y * 500 + x] = isInside && isInk(along % 46, up) ? 40 : 220
        }
      }
    }
  }

  /// Rings of dots of five by seven, that touch along their rows alone.
  private func isDot(_ x: Int, _ y: Int) -> Bool {
    let (column, row) = (x / 7, y / 6)
    let isOnRing = (column == 0 || column == 4) != (row == 0 || row == 6)
    return isOnRing && column < 5 && row < 7 && y % 6 < 4 && (x % 7 < 4 || (row == 0 || row == 6) && column < 3)
  }

  private func pieces(_ image: GrayImage) -> Int {
    let plane = image.withView { InkPlane($0) }
    let threshold = plane.threshold
    return InkComponent.find(plane.pixels.map { $0 <= threshold }, width: plane.width, height: plane.height).pieces
      .count
  }

  @Test(arguments: LinePicture.Style.live) func dotsAreDrawnAsStrokes(_ style: LinePicture.Style) throws {
    let image = line(isDot)
    #expect(pieces(image) > 60)
    let picture = try #require(image.withView { LinePicture($0, on: style.isFlat ? .flat : .plain) })
    #expect(picture.isInPieces)
    #expect(abs(picture.capitalHeight - 40) <= 2)
    #expect(pieces(picture.drawn(style)) == 10)
  }

  @Test func remainsOfAnotherLineDoNotMakePiecesOfLetters() throws {
    let image = line { x, y in y < 3 && x % 10 < 7 || y >= 8 && (x < 5 || x > 26 || y > 34) }
    let picture = try #require(image.withView { LinePicture($0) })
    #expect(!picture.isInPieces)
    #expect(abs(picture.capitalHeight - 32) <= 2)
  }
}
