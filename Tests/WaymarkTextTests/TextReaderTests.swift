import Testing
import WaymarkImage

@testable import WaymarkText

/// Two networks read a line, and Waymark's own decides unless it is unsure and Tesseract's is not.
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

  @Test func whatMoreViewsThanDrawingsSayIsBelieved() throws {
    #expect(try read(tesseract: "B8B8", 0.7, own: says("BBBB", 0.9)).map(\.text) == ["BBBB"])
    #expect(try read(tesseract: "B8B8", 0.95, own: says("BBBB", 0.9)).map(\.text) == ["BBBB"])
    #expect(try read(tesseract: "B8B8", 0.7, own: nil).map(\.text) == ["B8B8"])
    var views = 0
    var drawings = 0
    var reader = TextReader { _, _, _ in
      drawings += 1
      return (drawings == 2 ? "B8B3" : "B8B8").map { ReadSymbol(String($0), confidence: 0.9) }
    }
    reader.lattice = { _ in
      views += 1
      // A view upright and one upside down, two more upright, and one of the whole picture.
      return says(["BBBB", "", "BBBB", "BBB8", "BB8B"][(views - 1) % 5], 0.8)
    }
    #expect(try picture.withView { try reader.read($0) }.map(\.text) == ["BBBB"], "two and two")
    drawings = 2
    #expect(try picture.withView { try reader.read($0) }.map(\.text) == ["B8B8"], "two and three")
  }

  /// A word on a spotted ground, in which no line is found.
  @Test func aCutOutWithoutALineIsReadWhole() throws {
    // Four large blots, and nothing that stands in a row.
    let spotted = GrayImage(width: 100, height: 110) { target in
      for i in 0..<(100 * 110) {
        let (x, y) = (i % 100, i / 100)
        target[i] = (x / 13 * 7 + y / 11 * 5) % 6 == 0 || (x / 4 + y / 3) % 9 == 0 ? 40 : 200
      }
    }
    #expect(spotted.withView { !LineFinder().search($0).isWhole })
    var reader = TextReader { _, _, _ in [] }
    let nothing = LineLattice(alphabet: says("", 1).alphabet, columns: [.init(choices: [.init(label: 0, share: 1)])])
    // Seen whole, it is half as wide again as it is in the network's height.
    reader.lattice = { drawn in drawn.width == 44 ? says("WORD", 0.99) : nothing }
    #expect(try spotted.withView { try reader.read($0) }.map(\.text) == ["WORD"])
  }

  /// A frame is drawn once for each network.
  @Test func aCutOutOfAFrameIsSeenOnce() throws {
    for (styles, expected) in [([LinePicture.Style.live[0]], 1), (LinePicture.Style.all, 4)] {
      var views = 0
      var reader = TextReader { _, _, _ in [] }
      reader.styles = styles
      reader.lattice = { _ in
        views += 1
        return says("BBBB", 0.95)
      }
      _ = try picture.withView { try reader.read($0) }
      #expect(views == expected)
    }
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

  /// A page of two words: lines that may as well be texture.
  private let page = GrayImage(width: 400, height: 400) { target in
    for i in 0..<(400 * 400) {
      let (x, y) = (i % 400, i / 400)
      let isInked = (100..<260).contains(x) && x % 30 < 12 && ((60..<84).contains(y) || (300..<324).contains(y))
      target[i] = isInked ? 20 : 230
    }
  }

  private func readPage(tesseract: String, own: LineLattice?) throws -> (texts: [String], asked: Int) {
    var asked = 0
    var reader = TextReader { _, _, _ in
      asked += 1
      return tesseract.map { ReadSymbol(String($0), confidence: 0.95) }
    }
    reader.lattice = { _ in own }
    let texts = try page.withView { try reader.read($0).map(\.text) }
    return (texts, asked)
  }

  @Test func whatItIsSureOfIsNotReadAgain() throws {
    let read = try readPage(tesseract: "XY", own: says("AB", 0.99))
    #expect(read.texts == ["AB", "AB"])
    #expect(read.asked == 0)
  }

  @Test func whatItSeesNoTextInIsTexture() throws {
    let read = try readPage(tesseract: "SEE", own: says("SEE", 0.2))
    #expect(read.texts.isEmpty)
    #expect(read.asked == 0)
    #expect(try readPage(tesseract: "SEE", own: nil).texts == ["SEE", "SEE"], "a language that it does not know")
  }

  /// Texture looks like one or two characters more easily than like three.
  @Test func fewCharactersWantMore() throws {
    #expect(try readPage(tesseract: "", own: says("ABC", 0.7)).texts == ["ABC", "ABC"])
    #expect(try readPage(tesseract: "", own: says("AB", 0.7)).texts.isEmpty)
    #expect(try readPage(tesseract: "", own: says("AB", 0.9)).texts == ["AB", "AB"])
  }

  /// Views that differ are text only if Tesseract agrees, which is asked no further than its first drawing shows.
  @Test func networksThatAgreeOnLittleSeeTexture() throws {
    var asked = 0
    func read(_ tesseract: String) throws -> [ReadLine] {
      asked = 0
      var number = 0
      var reader = TextReader { _, _, _ in
        asked += 1
        return tesseract.map { ReadSymbol(String($0), confidence: 0.95) }
      }
      reader.lattice = { _ in
        number += 1
        return says(number % 2 == 0 ? "ABCD" : "ABCE", 0.8)
      }
      return try page.withView { try reader.read($0) }
    }
    #expect(try read("WXYZ").isEmpty)
    #expect(asked == 2)
    let lines = try read("ABCF")
    #expect(lines.map(\.text) == ["ABCF", "ABCF"])
    #expect(asked == 2 * LinePicture.Style.all.count)
    // Where both read the same it is surer than where they differ.
    #expect(lines[0].symbols.map { $0.confidence > 0.9 } == [true, true, true, false])
  }

  /// Two lines of bars that are thick at the bottom, a long and a short one.
  private let bars = GrayImage(width: 400, height: 400) { target in
    for i in 0..<(400 * 400) {
      let (x, y) = (i % 400, i / 400)
      let isLong = (60..<84).contains(y) && (100..<340).contains(x)
      let isShort = (300..<324).contains(y) && (100..<220).contains(x)
      let isThick = (74..<84).contains(y) || (314..<324).contains(y)
      target[i] = (isLong || isShort) && x % 30 < (isThick ? 18 : 6) ? 20 : 230
    }
  }

  private func readBars(
    turned: Bool, _ says: @escaping (_ isLong: Bool, _ isUpright: Bool) -> LineLattice
  ) throws -> (lines: [ReadLine], views: Int) {
    var views = 0
    var reader = TextReader { _, _, _ in [] }
    reader.lattice = { drawn in
      views += 1
      let (top, bottom) = drawn.withView { view in
        func ink(_ rows: Range<Int>) -> Int {
          rows.reduce(0) { sum, y in (0..<view.width).reduce(sum) { $0 + (view[$1, y] < 128 ? 1 : 0) } }
        }
        return (ink(0..<(view.height / 2)), ink((view.height / 2)..<view.height))
      }
      return says(drawn.width > 220, bottom > top)
    }
    let picture = turned ? bars.oriented(Orientation(quarterTurns: 2)) : bars
    return (try picture.withView { try reader.read($0) }, views)
  }

  /// The network is confident of characters that look like others when they are upside down.
  @Test func aConfidentReadingUpsideDownIsRefused() throws {
    let says = { (isLong: Bool, isUpright: Bool) in
      isUpright ? self.says(isLong ? "HX25160" : "HXN", 0.999) : self.says(isLong ? "09TSZXH" : "NXH", 0.97)
    }
    let turned = try readBars(turned: true, says)
    // The short line reads as well upside down, and takes the way up of the long one.
    #expect(turned.lines.map(\.text) == ["HXN", "HX25160"])
    #expect(turned.lines.allSatisfy { $0.outline.topLeft.x > $0.outline.topRight.x })
    let upright = try readBars(turned: false, says)
    #expect(upright.lines.map(\.text) == ["HX25160", "HXN"])
    #expect(upright.lines.allSatisfy { $0.outline.topLeft.x < $0.outline.topRight.x })
  }

  /// Lines with characters that are hardly ever read upside down are viewed one way up.
  @Test func aLineThatGivesItsWayUpIsViewedOnce() throws {
    let read = try readBars(turned: false) { _, _ in says("BR25F", 0.999) }
    #expect(read.lines.map(\.text) == ["BR25F", "BR25F"])
    #expect(read.views == 2)
  }

  @Test(arguments: [0, 1]) func aLineWithoutAWayUpIsReadOnlyIfItIsLevel(turn: Int) throws {
    let line = bars.withView { GrayImage(copying: $0.cropped(x: 0, y: 0, width: 400, height: 200)) }
    var number = 0
    var reader = TextReader { _, _, _ in [] }
    reader.lattice = { _ in
      number += 1
      return says(number % 2 == 1 ? "06" : "90", 0.999)
    }
    let lines = try line.oriented(Orientation(quarterTurns: turn)).withView { try reader.read($0) }
    #expect(lines.map(\.text) == (turn == 0 ? ["06"] : []))
  }

  @Test func aLineOnItsHeadIsTurned() throws {
    var number = 0
    var reader = TextReader { _, _, _ in [] }
    reader.lattice = { _ in
      number += 1
      return says(number == 1 ? "WM" : "AB", number == 1 ? 0.4 : 0.97)
    }
    let region = (x: 0, y: 0, width: 400, height: 200)
    let line = try #require(try page.withView { try reader.read($0, region: region).first })
    #expect(line.text == "AB")
    #expect(line.outline.topLeft.x > line.outline.topRight.x)
  }

  /// A word that was cut out standing upright, read from the bottom to the top.
  @Test func aLineThatStandsUprightIsTurned() throws {
    let picture = GrayImage(width: 40, height: 120) { target in
      for i in 0..<(40 * 120) { target[i] = (14..<26).contains(i % 40) && (30..<90).contains(i / 40) ? 20 : 230 }
    }
    #expect(picture.withView { LineFinder().search($0) }.isWhole)
    var number = 0
    var reader = TextReader { _, _, _ in [] }
    reader.lattice = { drawn in
      number += 1
      return says(drawn.width > 40 && number > 2 ? "AB" : "H", number > 2 ? 0.97 : 0.4)
    }
    let line = try #require(try picture.withView { try reader.read($0).first })
    #expect(line.text == "AB")
    #expect(line.outline.topLeft.y > line.outline.topRight.y)
  }

  /// A line of light bars, and fewer dark ones below it.
  @Test func aRowOfTheOtherPolarityIsReadIfTheLinesAreTexture() throws {
    let picture = GrayImage(width: 640, height: 480) { target in
      for i in 0..<(640 * 480) {
        let (x, y) = (i % 640, i / 640)
        let isBar = x % 30 < 12
        target[i] = (90..<510).contains(x) && (100..<124).contains(y) && isBar ? 220 : 120
        if (210..<390).contains(x), (300..<324).contains(y), isBar { target[i] = 40 }
      }
    }
    func read(_ long: String, _ styles: [LinePicture.Style]) throws -> [String] {
      var reader = TextReader { _, _, _ in [] }
      reader.styles = styles
      reader.lattice = { drawn in says(drawn.width > 300 ? long : "BR25F", 0.999) }
      return try picture.withView { try reader.read($0).map(\.text) }
    }
    #expect(try read("", LinePicture.Style.all) == ["BR25F"])
    #expect(try read("HX25160", LinePicture.Style.all) == ["HX25160"])
    #expect(try read("", [LinePicture.Style.live[0]]).isEmpty, "a frame")
  }

  /// A dark display in a light housing, with digits on it that are hardly darker.
  @Test func aPanelIsReadWhereNoLineIsFound() throws {
    let housing = GrayImage(width: 600, height: 400) { target in
      for i in 0..<(600 * 400) {
        let (x, y) = (i % 600, i / 600)
        let isPanel = (150..<450).contains(x) && (160..<230).contains(y)
        let isStroke = isPanel && (220..<400).contains(x) && x % 30 < 6 && (175..<215).contains(y) && y != 195
        target[i] = isStroke ? 62 : isPanel ? 70 : 220
      }
    }
    let found = housing.withView { LineFinder().search($0) }
    let panel = try #require(found.panels.first)
    #expect(found.panels.count == 1)
    #expect(abs(panel.center.x - 300) < 4 && abs(panel.center.y - 195) < 4)
    #expect(abs(panel.topLeft.distance(to: panel.bottomLeft) - 0.84 * 70) < 5)
    var reader = TextReader { _, _, _ in [] }
    reader.lattice = { _ in says("1111", 0.9) }
    let lines = try housing.withView { try reader.read($0) }
    #expect(lines.map(\.text).contains("1111"))
  }

  @Test func anEvenWallHoldsNoPanel() {
    let wall = GrayImage(width: 600, height: 400) { target in
      for i in 0..<(600 * 400) {
        let (row, column) = i.quotientAndRemainder(dividingBy: 600)
        target[i] = UInt8(120 + column / 10 + row / 20)
      }
    }
    #expect(wall.withView { LineFinder().search($0) }.panels.isEmpty)
  }

  /// Reads a picture with views of the network of lines and a reading of the network of words.
  private func read(_ own: LineLattice, words: LineLattice, frames: Bool = false) throws -> ReadLine? {
    var reader = TextReader { _, _, _ in [] }
    if frames { reader.styles = [LinePicture.Style.live[0]] }
    reader.lattice = { _ in own }
    reader.words = { drawn in
      #expect(drawn.height == WordNetwork.height && !frames)
      return words
    }
    return try picture.withView { try reader.read($0).first }
  }

  @Test func theNetworkOfWordsIsHeardWhereViewsAreUnsure() throws {
    let line = try #require(try read(says("BBB8", 0.6), words: says("BBBB", 0.99)))
    #expect(line.text == "BBBB" && line.confidence < 0.9, "disputed")
    #expect(try read(says("BBB8", 0.95), words: says("BBBB", 0.6))?.text == "BBB8")
    // A line that is read without doubt is not read again, nor is a frame.
    #expect(try read(says("BBB8", 1), words: says("BBBB", 1))?.text == "BBB8")
    #expect(try read(says("BBB8", 0.6), words: says("BBBB", 0.99), frames: true)?.text == "BBB8")
    // It does not overrule a character that it does not know.
    let letters = LineLattice(
      alphabet: ["B"], columns: (0..<8).map { .init(choices: [.init(label: $0 % 2 == 0 ? 1 : 0, share: 0.99)]) })
    #expect(try read(says("BBB8", 0.9), words: letters)?.text == "BBB8")
    #expect(try read(says("BBB8", 0.4), words: letters)?.text == "BBBB")
  }

  @Test func theNetworkOfWordsChoosesAmongUnsureOrientations() throws {
    var reader = TextReader { _, _, _ in [] }
    reader.lattice = { _ in says("0000", 0.4) }
    var readings = 0
    reader.words = { _ in
      readings += 1
      return readings % 2 == 0 ? says("WORD", 0.95) : says("OHOM", 0.3)
    }
    let line = try #require(try picture.withView { try reader.read($0).first })
    #expect(line.text == "WORD" && readings == 2)
    #expect(line.outline.topLeft.x > line.outline.topRight.x)
  }
}
