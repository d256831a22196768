import Testing
import WaymarkImage

@testable import WaymarkText

/// The specimens of ICAO 9303.
@Suite struct MachineReadableZoneTests {
  private static let specimens: [(MachineReadableZone.Format, [String])] = [
    (
      .td1,
      ["I<UTOD231458907<<<<<<<<<<<<<<<", "7408122F1204159UTO<<<<<<<<<<<6", "ERIKSSON<<ANNA<MARIA<<<<<<<<<<"]
    ),
    (.td2, ["I<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<", "D231458907UTO7408122F1204159<<<<<<<6"]),
    (
      .td3,
      ["P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<", "L898902C36UTO7408122F1204159ZE184226B<<<<<10"]
    ),
    (
      .mrvA,
      ["V<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<", "L8988901C4XXX4009078F96121096ZE184226B<<<<<<"]
    ),
    (.mrvB, ["V<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<", "L8988901C4XXX4009078F9612109<<<<<<<<"]),
  ]

  @Test(arguments: specimens) func specimensAreRead(_ format: MachineReadableZone.Format, _ lines: [String]) {
    let zone = MachineReadableZone(lines)
    #expect(zone?.format == format)
    #expect(zone?.lines == lines)
  }

  @Test(arguments: specimens) func noWrongDigitIsAccepted(_ format: MachineReadableZone.Format, _ lines: [String]) {
    let place = 1
    // Optional data of a visa have no check digit.
    for i in lines[place].indices.prefix(format.isVisa ? 28 : format.length) where lines[place][i].isNumber {
      for digit in "0123456789" where digit != lines[place][i] {
        var changed = lines
        changed[place].replaceSubrange(i...i, with: [digit])
        #expect(MachineReadableZone(changed) == nil, "\(changed[place])")
      }
    }
  }

  @Test func fieldsSettleWhatLooksAlike() {
    let read = ["P<UT0ERIKSS0N<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<", "L898902C36UTO74O8122F12O4159ZE184226B<<<<<1O"]
    #expect(MachineReadableZone(read)?.lines == Self.specimens[2].1)
  }

  @Test func fillersThatWereMiscountedAreMended() {
    let read = ["P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<", "L898902C36UTO7408122F1204159ZE184226B<<<<<10"]
    #expect(MachineReadableZone(read)?.lines == Self.specimens[2].1)
  }

  @Test func aVisaIsOfItsOwnKindAndLayout() {
    for (format, lines) in Self.specimens where format.lineCount == 2 {
      let other = format.isVisa ? "P" : "V"
      let changed = [other + lines[0].dropFirst(), lines[1]]
      // Without a composite check digit, the line of a passport has the layout of a visa.
      #expect(MachineReadableZone(changed)?.format == (format == .td2 ? .mrvB : format == .td3 ? .mrvA : nil))
    }
  }

  @Test func otherLinesAreNone() {
    #expect(MachineReadableZone([]) == nil)
    #expect(MachineReadableZone(["", ""]) == nil)
    #expect(MachineReadableZone([String(repeating: "<", count: 44), String(repeating: "<", count: 44)]) == nil)
  }

  /// Names have no check digit: what fillers were taken for must show in another way.
  @Test(arguments: [
    ("ERIKSSON<<ANNA<MARIA<<<<<<<<<<", true), ("ERIKSSON<<<<<<<<<<<<<<<<<<<<<<", true),
    ("ERIKSSON<<ANNA<MARIARTRERREEEP", false), ("ERIKSSON<<ANNA<<MARIA<<<<<<<<<", false),
    ("ERIKSSON<<<ANNA<<<<<<<<<<<<<<<", false), ("<ERIKSSON<<ANNA<<<<<<<<<<<<<<<", false),
  ])
  func namesThatAreNotWrittenAsNamesAreDoubted(_ names: String, isPlain: Bool) throws {
    let zone = MachineReadableZone(["I<UTOD231458907<<<<<<<<<<<<<<<", "7408122F1204159UTO<<<<<<<<<<<6", names])
    #expect(try #require(zone).hasPlainNames == isPlain)
  }

  private static func symbols(_ line: String, _ others: [Int: (String, Double)] = [:]) -> [ReadSymbol] {
    line.enumerated().map { place, character in
      let other = others[place].map { [ReadSymbol.Choice($0.0, 0.95 - $0.1)] } ?? []
      return ReadSymbol(String(character), confidence: 0.9, choices: [.init(String(character), 0.95)] + other)
    }
  }

  /// Two that are wrong together leave every sum as it is: 24 and 0, weighed by 7 and 3.
  @Test(arguments: [(0.01, true), (0.08, false)])
  func digitsThatMayBeLettersTogetherAreDoubted(_ loss: Double, isDoubtful: Bool) throws {
    let lines = [
      Self.symbols("I<UTOCB30223087<<<<<<<<<<<<<<<", [8: ("O", loss), 12: ("O", loss)]),
      Self.symbols("7002265<9311011UTO<<<<<<<<<<<0"), Self.symbols("DZJEMAG<<UVTYUED<UJE<<<<<<<<<<"),
    ]
    let settled = try #require(MachineReadableZone.settle(lines))
    #expect(settled.zone.lines[0] == "I<UTOCB30223087<<<<<<<<<<<<<<<")
    #expect(settled.isDoubtful == isDoubtful)
  }

  @Test func theLikeliestOfTwoWrongCharactersIsTaken() throws {
    let lines = [
      Self.symbols("I<UTOD231458907<<<<<<<<<<<<<<<"),
      Self.symbols("7408722F7204159UTO<<<<<<<<<<<6", [4: ("1", 0.02), 8: ("1", 0.015)]),
      Self.symbols("ERIKSSON<<ANNA<MARIA<<<<<<<<<<"),
    ]
    let settled = try #require(MachineReadableZone.settle(lines))
    #expect(settled.zone.lines == Self.specimens[0].1)
    #expect(settled.isDoubtful)
  }

  /// A specimen in the drawings of the typeface, in shading and glare, with noise: 640 pixels wide, as a camera sees it.
  private static func photograph(
    _ lines: [String], left: Double, pitch: Double, leaving gap: Range<Int>? = nil, edge: Double? = nil
  )
    -> GrayImage
  {
    let face = ZoneGlyphs.faces[0]
    let values = face.values.map(Double.init)
    let (w, h) = (ZoneGlyphs.width, ZoneGlyphs.height)
    let capitals = face.capitals * pitch
    var seed: UInt32 = 7
    return GrayImage(width: 640, height: 200) { target in
      for y in 0..<200 {
        for x in 0..<640 {
          let line = Int((Double(y) - 50) / (1.9 * capitals))
          let place = Int(((Double(x) - left) / pitch).rounded(.down))
          var ink = 0.0
          if y >= 50, lines.indices.contains(line), place >= 0, place < lines[line].count,
            gap?.contains(place) != true || line != 1
          {
            let row = Int((Double(y) - 50 - 1.9 * capitals * Double(line)) / (1.4 * capitals) * Double(h))
            let column = Int((Double(x) - left - Double(place) * pitch) / pitch * Double(w))
            let character = Array(lines[line])[place]
            if row < h, column < w, let glyph = ZoneGlyphs.characters.firstIndex(of: character) {
              ink = values[(glyph * h + row) * w + column] / 15
            }
          }
          let isInCapitals = (Double(y) - 50).truncatingRemainder(dividingBy: 1.9 * capitals) < 1.2 * capitals
          if let edge, y >= 50, isInCapitals, lines.indices.contains(line), abs(Double(x) - edge) < 0.15 * pitch {
            ink = 1
          }
          let (dx, dy) = ((Double(x) - 440) / 35, (Double(y) - 80) / 35)
          seed = seed &* 1_664_525 &+ 1_013_904_223
          let light = 120 + 0.1 * Double(x) + 60 * Double.exponential(-(dx * dx + dy * dy) / 2)
          target[y * 640 + x] = UInt8(max(0, min(255, light - 70 * ink + Double(seed >> 24) / 40)))
        }
      }
    }
  }

  @Test(arguments: specimens)
  func specimensAreReadInGlareAndShading(_ format: MachineReadableZone.Format, _ lines: [String]) throws {
    var reader = TextReader { _, _, _ in [] }
    reader.alphabet = .zone
    for width in [560.0, 430] {
      let picture = Self.photograph(lines, left: 45, pitch: width / Double(format.length))
      let read = try picture.withView { view throws in try reader.read(view) }
      let accepted = try TextAcceptance([try TextPattern.named("mrz")]).accepted(in: read)
      // Optional data of a visa have no check digit, so that they are doubtful.
      guard !format.isVisa else {
        #expect(accepted.allSatisfy { $0.isDoubtful || $0.text == lines.joined(separator: "\n") })
        continue
      }
      #expect(accepted.map(\.text) == [lines.joined(separator: "\n")], "\(read.map(\.text))")
    }
  }

  /// A stroke beside each line, such as the edge of a document, is not a character.
  @Test(arguments: specimens, [true, false])
  func specimensAreReadBesideAnEdge(_ specimen: (MachineReadableZone.Format, [String]), isLeft: Bool) throws {
    var reader = TextReader { _, _, _ in [] }
    reader.alphabet = .zone
    let pitch = 500 / Double(specimen.0.length)
    let picture = Self.photograph(
      specimen.1, left: 70, pitch: pitch, edge: isLeft ? 70 - 0.5 * pitch : 570 + 0.5 * pitch)
    let read = try picture.withView { try reader.read($0) }
    let accepted = try TextAcceptance([try TextPattern.named("mrz")]).accepted(in: read)
    #expect(accepted.map(\.text) == [specimen.1.joined(separator: "\n")], "\(read.map(\.text))")
  }

  /// A line of which the finder saw two parts is one, and as long as the others.
  @Test func partsOfALineAreJoinedAndReachAsFarAsTheOthers() {
    func outline(_ left: Double, _ right: Double, _ y: Double) -> Quadrilateral {
      Quadrilateral(
        topLeft: Point2(left, y), topRight: Point2(right, y), bottomRight: Point2(right, y + 20),
        bottomLeft: Point2(left, y + 20))
    }
    let found = TextReader.evened([
      outline(20, 600, 0), outline(520, 600, 31), outline(60, 480, 30), outline(0, 640, 300),
    ])
    #expect(found == [outline(20, 600, 0), outline(20, 600, 30), outline(0, 640, 300)])
  }
}

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
