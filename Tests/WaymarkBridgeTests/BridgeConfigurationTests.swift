import Foundation
import Testing
import WaymarkConfiguration
import WaymarkSpool
import WaymarkSystem

@testable import waymark_bridge

@Suite struct BridgeConfigurationTests {
  private func read(_ yaml: String, file: String = "bridge.yaml", checksFiles: Bool = false) throws
    -> BridgeConfiguration
  {
    try BridgeConfiguration(yaml: yaml, file: file, hostName: "kiosk-7.example.com", checksFiles: checksFiles)
  }

  private func problem(_ yaml: String) -> String {
    do {
      _ = try read(yaml)
      return "none"
    } catch let error as BridgeError {
      return error.message
    } catch {
      return "\(error)"
    }
  }

  @Test func nothingIsTheStandard() throws {
    let configuration = try read("")
    #expect(configuration.device == "kiosk-7")
    #expect(configuration.broker.effectivePort == 1883)
    #expect(configuration.commands.isEmpty)
    #expect(configuration.limits == EventLog.Limits())
    #expect(try read("device:\nbroker:\n").device == "kiosk-7")
  }

  @Test func everything() throws {
    let configuration = try read(
      """
      broker:
        host: broker.example
        version: 3.1.1
        keepAlive: 60
        username: line-3
        passwordFile: /etc/waymark/bridge.password
        window: 50
        tls: { caFile: ca.pem, certificateFile: c.pem, keyFile: k.pem }
      device: line-3
      prefix: site-4
      store: { folder: /tmp/x, events: 200000, megabytes: 64 }
      events:
        scan.successful: [default, text]
        document.*: all
        "*": off
      commands: [scan.begin, config.reload]
      """)
    #expect(configuration.broker.effectivePort == 8883)
    #expect(configuration.broker.version == "3.1.1")
    #expect(configuration.connectionFiles.map(\.path) == ["ca.pem", "c.pem", "k.pem"])
    #expect(configuration.limits == EventLog.Limits(events: 200_000, bytes: 64 << 20))
    #expect(configuration.selection.fields(of: "scan.successful") == .named(["text"], withStandard: true))
    #expect(configuration.selection.fields(of: "document.stored") == .all)
    #expect(configuration.selection.fields(of: "camera.status") == .off)
    #expect(configuration.commands == ["scan.begin", "config.reload"])
  }

  @Test func relativePathsAreRelativeToTheFolderOfTheFile() throws {
    let configuration = try read(
      """
      broker: { username: u, passwordFile: p, tls: { caFile: ca.pem, certificateFile: ./c.pem, keyFile: credential:k } }
      socket: service.sock
      store: { folder: store }
      metricsFile: m.prom
      """, file: "/etc/w/bridge.yaml")
    #expect(configuration.connectionFiles.map(\.path) == ["/etc/w/ca.pem", "/etc/w/./c.pem", "credential:k"])
    #expect(configuration.broker.passwordFile == "/etc/w/p")
    #expect(configuration.socket == "/etc/w/service.sock")
    #expect(configuration.storeFolder == "/etc/w/store")
    #expect(configuration.metricsFile == "/etc/w/m.prom")
  }

  @Test func theExampleOfThePackageIsGood() throws {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Packaging/bridge.yaml")
    let text = try String(contentsOf: file, encoding: .utf8)
    #expect(try read(text) == read(""))
    // And what is commented out in it is good, too.
    let all = text.split(separator: "\n").map { $0.hasPrefix("#") && !$0.hasPrefix("# ") ? $0.dropFirst() : $0 }
    #expect(try read(all.joined(separator: "\n")).device == "line-3")
  }

  @Test func mistakesHaveALine() {
    #expect(problem("brokr: {}") == "bridge.yaml:1: brokr: there is no such key")
    #expect(problem("broker:\n  hots: x") == "bridge.yaml:2: broker.hots: there is no such key")
    #expect(problem("broker: localhost") == "bridge.yaml:1: broker: a section with keys is expected")
    #expect(
      problem("broker: { port: 0 }").contains("broker.port: a whole number from 1 to 65535 is expected, not \"0\""))
    #expect(problem("broker: { version: 4 }").contains("broker.version: one of 5, 3.1.1 is expected, not \"4\""))
    #expect(problem("broker: { tls: { keyFile: k } }").contains("not both"))
    #expect(problem("broker: { passwordFile: k }").contains("goes with"))
    #expect(problem("device: a/b").contains("topic"))
    #expect(problem("commands: [scan.confirm]").contains("scan.confirm cannot be allowed"))
    #expect(problem("commands: scan.begin").contains("commands: a list of strings is expected, not \"scan.begin\""))
    #expect(
      problem("events: { scan.successful: some }").contains(
        "events.scan.successful: one of off, default, all is expected, not \"some\""))
    #expect(problem("events: { \"a b\": all }").contains("events.a b: \"a b\" is not a pattern of events"))
    #expect(
      problem("events: { scan.succesful: all }")
        == "bridge.yaml:1: events.scan.succesful: there is no event \"scan.succesful\"")
    #expect(
      problem("events: { scan.successful: [defualt, text] }")
        == "bridge.yaml:1: events.scan.successful: there is no field \"defualt\"")
    #expect(problem("events: { scan.*: [default, fields.serial, reason], '*': [time] }") == "none")
    #expect(problem("events: { scan.*: off, bridge.missed: all, bridge.*: all, stream.dropped: off }") == "none")
    #expect(problem("events: [a]").contains("bridge.yaml:1: events: a section with keys is expected"))
    #expect(problem("[").contains("bridge.yaml:1: it is not YAML"))
    #expect(problem("text") == "bridge.yaml:1: a section with keys is expected")
  }

  @Test func aFileThatCannotBeUsedHasALine() throws {
    for (yaml, words) in [
      ("broker:\n  username: u\n  passwordFile: /nowhere/p", "bridge.yaml:3: broker.passwordFile: "),
      ("broker:\n  tls:\n    caFile: /nowhere/ca.pem", "bridge.yaml:3: broker.tls.caFile: "),
      ("store:\n  folder: /nowhere/a/b", "bridge.yaml:2: store.folder: "),
      ("metricsFile: /nowhere/a/figures", "bridge.yaml:1: metricsFile: "),
      ("metricsFile: /nowhere/figures", "bridge.yaml:1: metricsFile: "),
    ] {
      let error = #expect(throws: BridgeError.self) { try read(yaml, checksFiles: true) }
      #expect(error?.code == .badConfiguration && error?.message.hasPrefix(words) == true, "\(error?.message ?? "")")
    }
    // A folder that the file does not name is made by the package.
    _ = try read("device: line-3", checksFiles: true)
    let several = #expect(throws: BridgeError.self) {
      try read("statsEvery: 60\nmetricsFile: /nowhere/figures", checksFiles: true)
    }
    for words in ["bridge.yaml:1: statsEvery: ", "bridge.yaml:2: metricsFile: "] {
      #expect(several?.message.contains(words) == true, "\(several?.message ?? "")")
    }
    #expect(problem("statusEvery: 60\ndevice: a/b").hasPrefix("bridge.yaml:2: device: "))
  }

  @Test func everyMistakeIsNamedAtOnce() {
    #expect(
      problem("brokr: {}\nstatusEvery: 1\n") == """
        bridge.yaml:1: brokr: there is no such key. Did you mean broker?
        bridge.yaml:2: statusEvery: a whole number from 5 to 86400 is expected, not "1"
        """)
    #expect(problem("statusEvery: 4").contains("a whole number from 5 to 86400 is expected, not \"4\""))
    #expect(problem("statusEvery: 5") == "none")
    #expect(problem("store: {events: 999}").hasPrefix("bridge.yaml:1: store.events"))
    #expect(problem("store: {megabytes: 1048577}").hasPrefix("bridge.yaml:1: store.megabytes"))
    #expect(problem("broker: {window: 1001}").hasPrefix("bridge.yaml:1: broker.window"))
    #expect(problem("broker: {keepAlive: 4}").hasPrefix("bridge.yaml:1: broker.keepAlive"))
    #expect(problem("broker: {port: \"1883\"}").hasPrefix("bridge.yaml:1: broker.port"))
    #expect(problem("device: \"\"").hasPrefix("bridge.yaml:1: device"))
    #expect(problem("commands: []") == "bridge.yaml:1: commands: the list is empty")
    #expect(problem("events: {scan.successful: }").hasPrefix("bridge.yaml:1: events.scan.successful: "))
    #expect(problem("commands:") == "bridge.yaml:1: commands: the list is empty")
  }

  /// The table's standards are those of a configuration that says nothing.
  @Test func theTablesStandardsAreTheBridges() throws {
    #expect(try read("") == BridgeConfiguration(device: "kiosk-7"))
  }

  @Test func thePageIsTheTables() throws {
    let rows = ConfigurationReference.markdown(BridgeConfiguration.table.keys)
    try expectReference("fleet.md", [("keys", rows)])
  }

  @Test func aPasswordThatAllUsersCanReadIsRefused() throws {
    let scratch = Scratch()
    try FileManager.default.createDirectory(atPath: scratch.path, withIntermediateDirectories: true)
    let file = scratch.path + "/password"
    scratch.write(Array("secret\n".utf8), to: file)
    var broker = BridgeConfiguration.Broker()
    broker.passwordFile = file
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file)
    #expect(throws: BridgeError.self) { try broker.password() }
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: file)
    #expect(try broker.password() == "secret")
    broker.passwordFile = scratch.path + "/none"
    #expect(throws: BridgeError.self) { try broker.password() }
  }
}
