import Foundation
import Testing
import WaymarkBarcodes
import WaymarkConfiguration
import WaymarkSystem

@testable import WaymarkService
@testable import WaymarkStation
@testable import waymark_station

/// The section `profiles`: which keys it takes, and what they do.
@Suite struct ProfileConfigurationTests {
  private func load(
    _ yaml: String, flags: [String: String] = [:]
  ) throws -> (configuration: ServiceConfiguration, problems: [ConfigurationProblem]) {
    let folder = try TestFolder.make()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try yaml.write(toFile: folder + "/waymark.yaml", atomically: true, encoding: .utf8)
    let loader = ConfigurationLoader(
      named: folder + "/waymark.yaml", environment: ["XDG_CONFIG_HOME": folder], flags: flags, isSystem: false,
      schema: stationSchema)
    return loader.checked(Station.features)
  }

  private let example = """
    scan:
      barcodeSymbologies: [qr]
      newAfter: 4
    type:
      suffix: "{Enter}"
      rules:
        - {symbologies: [qr], prefix: "Q"}
    text:
      patterns:
        serial: "[A-Z]{2}[0-9]{6}"
    documents:
      pages: 50
      folder: pages
    profiles:
      goods-in:
        when:
          days: [mon, fri]
          times: ["08:00-17:30"]
          codes: ["P:IN"]
          codePattern: "P:[0-9]+"
          holdFor: 30
        scan:
          barcodeSymbologies: [ean13, code128]
        type:
          suffix: "{Tab}"
        text:
          patterns:
            lot: "L[0-9]+"
        documents: {pages: 5}
        feedback: {cues: [read]}
      empty: {}
    """

  @Test func aProfileHoldsInsteadOfWhatStandsOutside() throws {
    let (configuration, problems) = try load(example)
    #expect(problems == [])
    let profiled = try #require(configuration.using(profile: "goods-in"))
    #expect(profiled.scan.barcodeSymbologies == ["ean13", "code128"])
    #expect(profiled.scan.newAfter == 4)
    #expect(TypingSettings(profiled.values).suffix == "{Tab}")
    #expect(DocumentSettings(profiled).pageLimit == 5 && DocumentSettings(profiled).folder?.hasSuffix("/pages") == true)
    #expect(TextSettings(profiled).patterns.count == 2)
    // And the file is as it was.
    #expect(configuration.scan.barcodeSymbologies == ["qr"] && DocumentSettings(configuration).pageLimit == 50)
    #expect(configuration.using(profile: "empty")?.scan == configuration.scan)
    #expect(configuration.using(profile: "none") == nil)
  }

  @Test func whenAProfileIsInUseIsRead() throws {
    let profiles = try load(example).configuration.profiles
    #expect(profiles.map(\.name) == ["goods-in", "empty"])
    let profile = try #require(profiles.first)
    #expect(
      profile.isDue(LocalMoment(day: .fri, minute: 8 * 60)) && !profile.isDue(LocalMoment(day: .tue, minute: 600)))
    #expect(profile.isChosen(by: "P:IN") && profile.isChosen(by: "P:12") && !profile.isChosen(by: "P:12a"))
    #expect(profile.holdFor == 30 && profile.cues == ["read"])
    try #require(profiles.count == 2)
    #expect(!profiles[1].hasSchedule && !profiles[1].hasCodes && profiles[1].cues == nil)
  }

  @Test func flagsGoBeforeAProfile() throws {
    let (configuration, _) = try load(example, flags: ["type.suffix": "!"])
    #expect(configuration.using(profile: "goods-in").map { TypingSettings($0.values) }?.suffix == "!")
  }

  @Test(arguments: [
    ("socket: {path: /x}", "profiles.p.socket", "it cannot change here: it holds for the whole device"),
    (
      "documents: {folder: /x}", "profiles.p.documents.folder",
      "it cannot change here, because it takes effect at the next start"
    ),
    ("trigger: {key: KEY_A}", "profiles.p.trigger", "it cannot change here: it holds for the whole device"),
    ("scan: {barcodeSymbologie: [qr]}", "profiles.p.scan.barcodeSymbologie", "there is no such key"),
    ("scan: {rate: 0}", "profiles.p.scan.rate", "a number from 0.1 to 240.0 is expected, not \"0\""),
    ("when: {days: [monday]}", "profiles.p.when.days", "\"monday\" is not one of sun, mon, tue, wed, thu, fri, sat"),
    ("when: {times: [\"8-17\"]}", "profiles.p.when.times", "\"8-17\" is not a time of day"),
    ("when: {codePattern: \"(\"}", "profiles.p.when.codePattern", nil),
    ("text: {patterns: {a: \"(\"}}", "profiles.p.text.patterns.a", nil),
    ("onboarding: {keyFiles: [none.pem]}", "profiles.p.onboarding.keyFiles", nil),
    (
      "{when: {codes: [a]}, onboarding: {allowHTTP: true}}", "profiles.p.onboarding",
      "a profile that a code chooses cannot change what is accepted for onboarding"
    ),
    ("profiles: {}", "profiles.p.profiles", "it cannot change here: it holds for the whole device"),
  ])
  func whatAProfileCannotDoIsNamed(_ section: String, _ key: String, _ message: String?) throws {
    let inner = section.hasPrefix("{") ? section : "{\(section)}"
    let problems = try load("profiles:\n  p: \(inner)\n").problems
    #expect(problems.count == 1, "\(problems)")
    #expect(problems.first?.key == key && problems.first?.line == 2)
    if let message { #expect(problems.first?.message == message) }
  }

  @Test func aNameIsAWord() throws {
    #expect(try load("profiles:\n  \"a b\": {}\n").problems.first?.key == "profiles.a b")
    #expect(try load("profiles:\n  a_b-1: {}\n").problems == [])
  }

  @Test func documentsChangeWithoutARestartButForTheirPlaces() throws {
    let running = try load("documents: {pages: 5, folder: /a}\n").configuration
    let wanted = try load("documents: {pages: 6, folder: /b}\n").configuration
    let (new, restart) = running.running(insteadOf: wanted)
    #expect(restart == ["documents.folder"])
    #expect(DocumentSettings(new).pageLimit == 6 && DocumentSettings(new).folder == "/a")
  }
}
