import Foundation
import Testing
import WaymarkCamera
import WaymarkConfiguration
import WaymarkFrames
import WaymarkOnboarding
import WaymarkSystem

@testable import WaymarkService
@testable import WaymarkStation
@testable import waymark_station

/// What the check of a configuration and the start of the service refuse beyond wrong types and values.
@Suite("What a configuration names") struct ConfigurationReviewTests {
  /// A folder with a file `text` that is neither a folder nor of any expected format, and an empty folder `bare`.
  private func problems(
    _ yaml: String, environment: [String: String] = [:], flags: [String: String] = [:]
  ) throws -> [ConfigurationProblem] {
    let folder = try TestFolder.make()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try "no picture\n".write(toFile: folder + "/text", atomically: true, encoding: .utf8)
    try FileManager.default.createDirectory(atPath: folder + "/bare", withIntermediateDirectories: false)
    try FileManager.default.createDirectory(atPath: folder + "/scenes/hall", withIntermediateDirectories: true)
    try "anchors: []\n".write(toFile: folder + "/scenes/hall/scene.yaml", atomically: true, encoding: .utf8)
    let file = folder + "/waymark.yaml"
    try yaml.replacing("DIR", with: folder).write(toFile: file, atomically: true, encoding: .utf8)
    let loader = ConfigurationLoader(
      named: file, environment: environment.mapValues { $0.replacing("DIR", with: folder) },
      flags: flags.mapValues { $0.replacing("DIR", with: folder) }, isSystem: false, schema: stationSchema)
    return loader.checked(Station.features).problems
  }

  @Test(
    "A name without its object is refused with its key and line",
    arguments: [
      ("scan:\n  barcodeSymbologies: [qr,\n    ean]", "scan.barcodeSymbologies", 3, "no symbology \"ean\""),
      ("scan:\n  onboardingSymbologies: qrr", "scan.onboardingSymbologies", 2, "no symbology \"qrr\""),
      ("trigger:\n  key: KEY_FOO", "trigger.key", 2, "no key \"KEY_FOO\""),
      ("source:\n  path: DIR/none", "source.path", 2, "/none"),
      ("source:\n  path: DIR/bare", "source.path", 2, "/bare"),
      ("source:\n  path: ftp://host/", "source.path", 2, "ftp: cannot be a source"),
      ("source:\n  path: http://host/\n  credentials: DIR/none", "source.credentials", 3, "cannot be read"),
      ("camera:\n  calibrations:\n    - front=DIR/none", "camera.calibrations", 3, "cannot be read"),
      ("camera:\n  calibrations:\n    - DIR/text", "camera.calibrations", 3, nil),
      ("replay:\n  folder: text/used", "replay.folder", 2, "cannot be made"),
      ("replay:\n  folder: /proc/used", "replay.folder", 2, "cannot be"),
      ("scenes:\n  cache: DIR/text", "scenes.cache", 2, "cannot be used as a folder"),
      ("scenes:\n  folders: [DIR/scenes]\n  load: hell", "scenes.load", 3, "no scene \"hell\""),
      ("scenes:\n  folders: [DIR/scenes,\n    DIR/none]", "scenes.folders", 3, "there is no folder"),
      ("gallery:\n  folders: [DIR/none]", "gallery.folders", 2, "there is no folder"),
      ("anchors:\n  library: DIR/none", "anchors.library", 2, nil),
      ("anchors:\n  library: DIR/bare", "anchors.library", 2, "is not a file"),
      ("socket:\n  path: DIR/text", "socket.path", 2, "is not a socket"),
      ("socket:\n  path: DIR/none/none/s", "socket.path", 2, "cannot be made"),
      ("roles:\n  observers:\n    users: [root,\n      no-such-user-here]", "roles.observers.users", 4, "no user"),
      ("forms:\n  folder: DIR/text", "forms.folder", 2, "cannot be used as a folder"),
      ("signatures:\n  folder: DIR/text/a/b", "signatures.folder", 2, "cannot be"),
      ("documents:\n  output: DIR/text", "documents.output", 2, "cannot be used as a folder"),
      ("documents:\n  keyFile: DIR/text", "documents.keyFile", 2, "not 32"),
      ("documents:\n  keyFile: DIR/none/key", "documents.keyFile", 2, "cannot be made"),
      ("count:\n  expected: DIR/none", "count.expected", 2, "cannot be read"),
      ("count:\n  expected: DIR/text", "count.expected", 2, "is not JSON"),
      ("accounts:\n  modules: [passcode]\n  folder: DIR/text", "accounts.folder", 3, "cannot be used as a folder"),
      (
        "cameras:\n  desk:\n    source: {path: DIR/none}\n", "cameras.desk.source.path", 3, "/none"
      ),
      (
        "source: {path: \"-\"}\ncameras:\n  desk:\n    device: d\n    scan: {barcodeSymbologies: [ean]}\n",
        "cameras.desk.scan.barcodeSymbologies", 5, "no symbology \"ean\""
      ),
      (
        "source: {path: \"-\"}\ncameras:\n  desk:\n    device: d\n    calibrations: [DIR/none]\n",
        "cameras.desk.calibrations", 5, "cannot be read"
      ),
      (
        "profiles:\n  night:\n    scan:\n      barcodeSymbologies: [ean]\n",
        "profiles.night.scan.barcodeSymbologies", 4, "no symbology \"ean\""
      ),
    ])
  func refused(yaml: String, key: String, line: Int, words: String?) throws {
    let problem = try #require(try problems(yaml).first { $0.key == key }, "\(yaml)")
    #expect(problem.line == line, "\(problem)")
    if let words { #expect(problem.message.contains(words), "\(problem)") }
    #expect(!problem.hint.isEmpty)
  }

  @Test("A path in a file is relative to the file's folder, an address and the value of a flag are as written")
  func relative() throws {
    #expect(try problems("scenes: {folders: [scenes], load: hall}\n").isEmpty)
    #expect(try problems("scenes: {folders: [scenes,\n  none]}\n").first?.line == 2)
    let named = try #require(try problems("camera: {calibrations: [front=bare/lens.yaml]}\n").first)
    #expect(named.message.contains("/bare/lens.yaml"))
    // Only an element of a list may name a camera before its path.
    let library = try #require(try problems("anchors: {library: front=bare/none}\n").first)
    #expect(library.message.contains("/front=bare/none"), "\(library)")
    #expect(try problems("source: {path: \"rtsp://camera/live\"}\n").isEmpty)
    #expect(try problems("", flags: ["scenes.folders": "scenes"]).first?.key == "scenes.folders")
  }

  @Test("The hint lists what is known")
  func hints() throws {
    #expect(try problems("scan: {barcodeSymbologies: [ean]}\n").first?.hint.contains("ean13, ") == true)
    #expect(try problems("trigger: {key: KEY_FOO}\n").first?.hint.contains("enter") == true)
    #expect(try problems("scenes: {folders: [DIR/scenes], load: x}\n").first?.hint == "Scenes are hall.")
  }

  @Test("What exists, and what the service makes, is accepted; nothing is made by the check")
  func honest() throws {
    let yaml = """
      source: {path: DIR/frame.y4m, loop: false}
      trigger: {key: KEY_F5}
      scan: {barcodeSymbologies: [qr, ean13], onboardingSymbologies: qr}
      replay: {folder: used/here}
      scenes: {folders: [DIR/scenes], load: hall, cache: DIR/cache/of/scenes}
      socket: {path: DIR/new/waymark.sock}
      documents: {folder: DIR/pages, keyFile: DIR/key}
      forms: {folder: DIR/forms}
      accounts: {modules: [passcode], folder: DIR/users}
      """
    let found = try problems(yaml)
    // The source alone does not exist.
    #expect(found.map(\.key) == ["source.path"], "\(found)")
  }

  @Test("A value of the environment or a flag is named as such")
  func origins() throws {
    let found = try problems(
      "scan: {barcodeSymbologies: [qr]}\n", environment: ["WAYMARK_SCAN_BARCODE_SYMBOLOGIES": "ean"],
      flags: ["trigger.key": "KEY_FOO"])
    #expect(Set(found.map(\.origin)) == ["environment", "flags"], "\(found)")
    #expect(found.contains { $0.key == "WAYMARK_SCAN_BARCODE_SYMBOLOGIES" })
    #expect(try problems("", environment: ["WAYMARK_SOCKET": "DIR/text"]).isEmpty)
    #expect(try problems("socket: {path: /run/none-of-these/s}\n").isEmpty)
    #expect(try problems("", environment: ["WAYMARK_SCAN_BARCODE_SYMBOLOGIES": ","]).count == 1)
    // The start reports the source of a flag itself.
    #expect(try problems("", flags: ["source.path": "DIR/none"]).isEmpty)
  }

  @Test("A damaged library is no problem of the configuration, as the service starts with it")
  func damagedLibrary() throws {
    let folder = try TestFolder.make()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try "WMANCHOR and nothing else".write(toFile: folder + "/l.anchors", atomically: true, encoding: .utf8)
    #expect(try problems("anchors: {library: \(folder)/l.anchors}\n").isEmpty)
  }

  @Test("Files of the folder beside the file override it in their order, and problems and origins name them")
  func layers() throws {
    let folder = try TestFolder.make()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let file = folder + "/waymark.yaml"
    try FileManager.default.createDirectory(atPath: folder + "/waymark.d", withIntermediateDirectories: false)
    for (name, yaml) in [
      ("waymark.yaml", "camera: {width: 640, mirror: true}\nscan: {barcodeSymbologies: [qr, ean13]}\n"),
      ("waymark.d/20-device.yaml", "camera:\n  height: 480\n  width: 1280\n"),
      (
        "waymark.d/10-site.yaml",
        "camera: {width: 320}\n\nscan: {barcodeSymbologies: [ean]}\ntext: {patterns: {a: \"[0-9]+\"}}\n"
      ),
      ("waymark.d/notes.txt", "no: yaml\n"),
    ] {
      try yaml.write(toFile: "\(folder)/\(name)", atomically: true, encoding: .utf8)
    }
    let loader = ConfigurationLoader(
      named: file, environment: ["WAYMARK_CAMERA_HEIGHT": "720"], flags: ["log.level": "debug"], isSystem: false,
      schema: stationSchema)
    let (configuration, problems) = loader.checked(Station.features)
    #expect(configuration.camera.settings.width == 1280 && configuration.camera.settings.height == 720)
    #expect(configuration.camera.settings.transform.mirror)
    #expect(problems.map(\.origin) == ["\(folder)/waymark.d/10-site.yaml"], "\(problems)")
    #expect(problems.first?.line == 3 && problems.first?.key == "scan.barcodeSymbologies")
    let listing = Dictionary(configuration.listing().map { ($0.key, "\($0.value) \($0.origin)") }) { first, _ in first }
    #expect(listing["camera.width"] == "1280 \(folder)/waymark.d/20-device.yaml:3")
    #expect(listing["camera.mirror"] == "true \(file):1")
    #expect(listing["camera.height"] == "720 WAYMARK_CAMERA_HEIGHT")
    #expect(listing["log.level"] == "debug command line")
    #expect(listing["camera.keepOpen"] == "false default")
    #expect(listing["text.patterns.a"] == "\"[0-9]+\" \(folder)/waymark.d/10-site.yaml:4")
    try "camera: {widht: 1}\n".write(toFile: folder + "/waymark.d/30.yaml", atomically: true, encoding: .utf8)
    let wrong = loader.checked(Station.features).problems.first { $0.key == "camera.widht" }
    #expect(wrong?.origin == "\(folder)/waymark.d/30.yaml" && wrong?.line == 1)
    try "camera: {width: 1}\n".write(toFile: folder + "/waymark.d/40.yml", atomically: true, encoding: .utf8)
    #expect(loader.load().problems.contains { $0.origin == "\(folder)/waymark.d/40.yml" && $0.line == nil })
  }

  @Test("A bundle's file is one of them by a link, and its paths are relative to the bundle")
  func bundleLayer() throws {
    let folder = try TestFolder.make()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let (files, file) = (FileManager.default, folder + "/waymark.yaml")
    for name in ["waymark.d", "releases/site-1", "current"] {
      try files.createDirectory(atPath: "\(folder)/\(name)", withIntermediateDirectories: true)
    }
    try files.createSymbolicLink(atPath: folder + "/current/site", withDestinationPath: "../releases/site-1")
    try files.createSymbolicLink(
      atPath: folder + "/waymark.d/50-site.yaml", withDestinationPath: folder + "/current/site/waymark.yaml")
    try "onboarding: {hosts: [base.example.com]}\n".write(toFile: file, atomically: true, encoding: .utf8)
    try #"{"keys":[{"kid":"k","kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}"#.write(
      toFile: folder + "/releases/site-1/keys.jwks", atomically: true, encoding: .utf8)
    try "onboarding: {keyFiles: [keys.jwks]}\nreplay: {folder: used}\n".write(
      toFile: folder + "/releases/site-1/waymark.yaml", atomically: true, encoding: .utf8)
    let loader = ConfigurationLoader(named: file, environment: [:], flags: [:], isSystem: false, schema: stationSchema)
    let (configuration, problems) = loader.checked(Station.features)
    #expect(problems.isEmpty, "\(problems)")
    let document = try #require(configuration.document)
    let onboarding = OnboardingConfiguration.read(document).configuration
    #expect(onboarding.policy.keys.map(\.id) == ["k"])
    #expect(onboarding.policy.hosts?.map(\.description) == ["base.example.com"])
    #expect(onboarding.replayFolder == folder + "/current/site/used")
    let keys = configuration.listing().first { $0.key == "onboarding.keyFiles" }
    #expect(keys?.origin == folder + "/waymark.d/50-site.yaml:1")
    try files.removeItem(atPath: folder + "/releases/site-1/waymark.yaml")
    #expect(loader.checked(Station.features).problems.map(\.origin) == [folder + "/waymark.d/50-site.yaml"])
  }
}
