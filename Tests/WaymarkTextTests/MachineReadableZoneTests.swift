import Testing

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
  ]

  @Test(arguments: specimens) func specimensAreRead(_ format: MachineReadableZone.Format, _ lines: [String]) {
    let zone = MachineReadableZone(lines)
    #expect(zone?.format == format)
    #expect(zone?.lines == lines)
  }

  @Test(arguments: specimens) func noWrongDigitIsAccepted(_ format: MachineReadableZone.Format, _ lines: [String]) {
    let place = format == .td1 ? 1 : 1
    for i in lines[place].indices where lines[place][i].isNumber {
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
}
