import Foundation
import Testing
import WaymarkConfiguration
import WaymarkProtocol
import WaymarkSystem

@testable import WaymarkServer
@testable import WaymarkService

@Suite(.serialized, .ownThread) struct RoleTests {
  private static let stranger: UInt32 = 4_001_234
  private static let group: UInt32 = 4_004_321

  /// True if other users can be tried: only root may become them.
  private static var canBecomeOthers: Bool {
    geteuid() == 0 && FileManager.default.isExecutableFile(atPath: "/usr/bin/setpriv")
      && FileManager.default.isExecutableFile(atPath: "/usr/bin/socat")
  }

  /// Returns the text that a process of another user gets to read, until the service closes or `lines` have come.
  private func talk(
    to path: String, user: UInt32, groups: [UInt32] = [], _ request: String, lines: Int
  ) throws -> [JSONValue] {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/setpriv")
    let list = groups.isEmpty ? "--clear-groups" : "--groups=" + groups.map(String.init).joined(separator: ",")
    process.arguments = [
      "--reuid=\(user)", "--regid=\(user)", list, "/usr/bin/socat", "-t", "5", "-", "UNIX-CONNECT:\(path)",
    ]
    let (input, output) = (Pipe(), Pipe())
    process.standardInput = input
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    // A refused connection may be gone before the request is written; that is not a failure of the test.
    signal(SIGPIPE, SIG_IGN)
    try? input.fileHandleForWriting.write(contentsOf: Data(request.utf8))
    var text = Data()
    while text.filter({ $0 == 0x0A }).count < lines {
      let more = output.fileHandleForReading.availableData
      if more.isEmpty { break }
      text += more
    }
    try? input.fileHandleForWriting.close()
    process.terminate()
    process.waitUntilExit()
    return try text.split(separator: 0x0A).map { try JSONParser.parse($0) }
  }

  /// A role is not kept by staying.
  @Test func whoMayNoMoreIsSentAway() async throws {
    let service = try await TestService()
    let client = try service.client()
    let user = UInt32(geteuid())
    await Self.use(RolePolicy(operatorUsers: [user], operatorGroups: [Self.group]), service.hub)
    #expect(try client.ask("ping", id: 1)["result"] != nil)
    await Self.use(RolePolicy(operatorUsers: [], observerUsers: [user]), service.hub)
    #expect(try client.next()["reason"] == "roleChanged")
    let again = try RawClient(service.path)
    #expect(try again.next()["role"] == "observer")
    await service.stop()
  }

  /// A program that speaks for others gives up what they may not do; it does not get it back, and stays when roles are read again.
  @Test func rightsThatWereGivenUpDoNotComeBack() async throws {
    let service = try await TestService(modules: { _ in [ReloadModule { [] }] })
    let client = try RawClient(service.path)
    #expect(try client.next()["role"] == "operator")
    #expect(try client.ask("role.lower", #"{"role":"operator"}"#, id: 1)["result"]?["role"] == "operator")
    #expect(try client.ask("role.lower", #"{"role":"observer"}"#, id: 2)["result"]?["role"] == "observer")
    #expect(try client.ask("role.lower", #"{"role":"operator"}"#, id: 3)["error"]?["code"] == "notPermitted")
    #expect(try client.ask("role.lower", #"{"role":"root"}"#, id: 4)["error"]?["code"] == "badParams")
    #expect(try client.ask("config.reload", id: 5)["error"]?["code"] == "notPermitted")
    _ = try client.ask("subscribe", #"{"events":["scan.*"]}"#, id: 6)
    await service.publish(ScanSuccessful(scan: "s1", symbology: "qr", text: "secret", corners: []))
    let event = try client.next()
    #expect(event["scan"] == "s1")
    #expect(event["text"] == nil)
    await Self.use(RolePolicy(operatorUsers: [UInt32(geteuid())], operatorGroups: [Self.group]), service.hub)
    #expect(try client.ask("ping", id: 7)["result"] != nil)
    await service.stop()
  }

  @ServiceActor
  private static func use(_ roles: RolePolicy, _ hub: Hub) { hub.use(roles) }

  @Test(.enabled(if: canBecomeOthers, "needs root, setpriv and socat"))
  func aStrangerIsRefused() async throws {
    // Every user may connect by the file's mode: the peer's identity decides.
    let service = try await TestService(mode: 0o666)
    let lines = try talk(to: service.path, user: Self.stranger, "{\"id\":1,\"method\":\"ping\"}\n", lines: 9)
    #expect(lines.count == 1)
    #expect(lines.first?["reason"] == "notPermitted")
    await service.stop()
  }

  @Test(.enabled(if: canBecomeOthers, "needs root, setpriv and socat"))
  func theModeKeepsStrangersOut() async throws {
    let service = try await TestService(mode: 0o660)
    #expect(try talk(to: service.path, user: Self.stranger, "\n", lines: 1).isEmpty)
    await service.stop()
  }

  @Test(.enabled(if: canBecomeOthers, "needs root, setpriv and socat"))
  func aSupplementaryGroupCounts() async throws {
    let roles = RolePolicy(operatorUsers: [0], operatorGroups: [Self.group], observerUsers: [Self.stranger])
    let service = try await TestService(roles: roles, mode: 0o666)
    let request = "{\"id\":1,\"method\":\"ping\"}\n"
    let member = try talk(
      to: service.path, user: Self.stranger, groups: [7, Self.group, Self.stranger], request, lines: 2)
    #expect(member.first?["role"] == "operator")
    let other = try talk(to: service.path, user: Self.stranger, groups: [7], request, lines: 2)
    #expect(other.first?["role"] == "observer")
    #expect(other.last?["result"] != nil)
    await service.stop()
  }

  @Test(.enabled(if: canBecomeOthers, "needs root, setpriv and socat"))
  func manyGroupsAreRead() async throws {
    let roles = RolePolicy(operatorUsers: [0], operatorGroups: [Self.group])
    let service = try await TestService(roles: roles, mode: 0o666)
    let groups = (1...200).map { UInt32(5000 + $0) } + [Self.group]
    let lines = try talk(to: service.path, user: Self.stranger, groups: groups, "\n", lines: 1)
    #expect(lines.first?["role"] == "operator")
    await service.stop()
  }

  @Test func anObserverMayLookButNotTouch() async throws {
    let roles = RolePolicy(operatorUsers: [], observerUsers: [UInt32(geteuid())])
    let service = try await TestService(roles: roles)
    let client = try RawClient(service.path)
    #expect(try client.next()["role"] == "observer")
    #expect(try client.ask("status")["result"] != nil)
    #expect(try client.ask("subscribe")["result"] != nil)
    for method in [
      "scan.begin", "scan.cancel", "scan.confirm", "onboarding.outcome", "torch", "gallery.list", "gallery.scan",
      "camera.select",
      "camera.control", "scene.load", "session.start", "annotation.next", "card.action",
    ] {
      let code = try client.ask(method)["error"]?["code"]
      #expect(code == "notPermitted" || code == "unknownMethod")
    }
    await service.stop()
  }

  @Test func aMistypedMethodGetsASuggestion() async throws {
    let service = try await TestService()
    let client = try service.client()
    let error = try client.ask("sttus")["error"]
    #expect(error?["code"] == "unknownMethod")
    #expect(error?["hint"] == "Did you mean status?")
    #expect(try client.ask("no.such.method")["error"]?["hint"] == "docs/protocol.md lists the methods.")
    await service.stop()
  }

  @Test func anObserverNeverSeesASecret() async throws {
    let roles = RolePolicy(operatorUsers: [], observerUsers: [UInt32(geteuid())])
    let service = try await TestService(roles: roles)
    let client = try service.client(subscribing: "{}")
    let secret = "hunter2"
    await service.publish(
      ScanSuccessful(
        scan: "s1", context: ["token": .string(secret)], kind: "wifi", symbology: "qr", text: secret,
        bytesBase64: secret, charset: "US-ASCII", corners: [[1, 2]], connectTo: nil,
        fields: ["password": .string(secret)]))
    await service.publish(ScanInvalid(scan: "s1", context: .string(secret), reason: .expired))
    await service.publish(ScanUnsuccessful(scan: "s1", context: .string(secret), reason: .nothingFound))
    await service.publish(ScanGuide(scan: "s1", context: .string(secret), advice: .blurred))
    await service.publish(ScanConfirmed(scan: "s1", context: .string(secret)))
    await service.publish(ScanCancelled(scan: "s1", context: .string(secret), reason: .cancelled))
    await service.publish(ScanEnded(scan: "s1", context: .string(secret), reason: .cancelled))
    for _ in 0..<7 {
      let line = try #require(try client.line())
      #expect(!line.contains(secret))
    }
    await service.stop()
  }

  @Test func whatWaitsIsReportedAsTheEventWas() {
    var event = ScanSuccessful(
      scan: "s1", context: "c", kind: "wifi", symbology: "qr", text: "t", bytesBase64: "dA==", charset: "US-ASCII",
      corners: [], fields: ["ssid": "net", "password": "p"])
    event.harmless.fields = ["ssid": "net", "password": "[redacted]"]
    let seen = ArmedScan(scan: "s1", mode: .onboarding, context: "c", pending: event).forObservers
    #expect(seen.pending == event.forObservers)
    #expect(seen.pending?.fields == ["ssid": "net", "password": "[redacted]"])
    #expect(seen.pending?.text == nil && seen.pending?.redacted == true && seen.context == nil)
    event.harmless = .init(text: true, fields: event.fields)
    #expect(event.forObservers.text == "t" && event.forObservers.redacted == nil)
  }

  @Test func rolesComeFromTheConfiguration() {
    var roles = ServiceConfiguration().roles
    let standard = RolePolicy.make(roles, socketGroup: 77, ownUser: 5).policy
    #expect(standard.role(of: Peer(process: 1, user: 5, groups: [5])) == .operator)
    #expect(standard.role(of: Peer(process: 1, user: 0, groups: [0])) == .operator)
    #expect(standard.role(of: Peer(process: 1, user: 9, groups: [9, 77])) == .operator)
    #expect(standard.role(of: Peer(process: 1, user: 9, groups: [9])) == nil)
    // Observers who join the socket's group, so that they can open the socket, stay observers.
    roles.observerUsers = ["9"]
    roles.observerGroups = ["34"]
    let watched = RolePolicy.make(roles, socketGroup: 77, ownUser: 5).policy
    #expect(watched.role(of: Peer(process: 1, user: 9, groups: [9, 77])) == .observer)
    #expect(watched.role(of: Peer(process: 1, user: 8, groups: [77, 34])) == .observer)
    #expect(watched.role(of: Peer(process: 1, user: 8, groups: [77])) == .operator)
    #expect(watched.role(of: Peer(process: 1, user: 5, groups: [34])) == .operator)
    roles.observerUsers = []
    roles.operatorUsers = ["12"]
    roles.observerGroups = ["34", "no-such-group-here"]
    let (named, unknown) = RolePolicy.make(roles, socketGroup: 77, ownUser: 5)
    #expect(unknown == ["group no-such-group-here"])
    #expect(named.role(of: Peer(process: 1, user: 12, groups: [1])) == .operator)
    #expect(named.role(of: Peer(process: 1, user: 9, groups: [77])) == nil)
    #expect(named.role(of: Peer(process: 1, user: 9, groups: [9, 34])) == .observer)
  }
}

@Suite struct RedactionTests {
  @Test(arguments: [
    "token=hunter2", "Authorization: Bearer eyJhbGciOiJFUzI1NiJ9.eyJzZWNyZXQiOjF9.hunter2", "password: \"hunter2\"",
    "https://kiosk:hunter2@example.com/x", "WIFI:T:WPA;S:net;P:hunter2;;", "otpauth://totp/a?secret=hunter2",
    "http://127.0.0.1:8631/?token=hunter2", "API_KEY=hunter2 and more", "{\"client_secret\":\"hunter2\"}",
    "-----BEGIN PRIVATE KEY-----\nhunter2\n-----END PRIVATE KEY-----",
    "otpauth-migration://offline?data=hunter2", "passcode=hunter2", "\"sharedKey\":\"hunter2\"", "kennwort: hunter2",
    "Cookie: hunter2", "sessionId=hunter2", "SAMLResponse=hunter2", "Authorization: Basic hunter2", "bearer hunter2",
    "hunter2hunter2hunter2hunter2hunter2hunter2hunter2",
  ])
  func secretsGo(_ text: String) {
    let redacted = Redaction.text("before " + text)
    #expect(!redacted.contains("hunter2"), "\(redacted)")
    #expect(redacted.hasPrefix("before "))
    #expect(redacted.contains(Redaction.mark))
  }

  @Test(arguments: [
    "waymark.scan: a code was refused reason=expired scan=s1", "/usr/share/waymark/sequences/pump-room",
    "usb-046d_C920_1A2B3C streaming MJPG 640x480", "https://mobile.example.com/enrol?device=7",
  ])
  func theRestStays(_ text: String) { #expect(Redaction.text(text) == text) }

  private func redacted(_ yaml: String) -> [String] {
    let table = stationSchema.table
    return RedactedConfiguration(ConfigurationDocument(yaml, path: "w.yaml", table: table), table: table).lines
  }

  @Test func aConfigurationKeepsItsKeysAndLosesUnknownOnes() {
    let lines = redacted(
      """
      # the admin's password is hunter2
      camera: {width: 640, height: hunter2, device: "Front camera"}
      pasword: hunter2
      gallery:
        folders: [/srv/pictures, "https://me:hunter2@host/"]
      onboarding:
        hosts: ["*.example.com"]
        sharedKey: hunter2
        customKinds:
          portal: {url: "https://*.example.com/*", pin: hunter2}
      """)
    #expect(
      lines == [
        "camera:", "  width: 640", "  height: [redacted]", "  device: \"Front camera\"", "pasword: [redacted]",
        "gallery:", "  folders: [/srv/pictures, \"https://[redacted]@host/\"]", "onboarding:",
        "  hosts: [\"*.example.com\"]", "  sharedKey: [redacted]", "  customKinds:", "    portal:",
        "      url: \"https://*.example.com/*\"", "      pin: [redacted]",
      ])
    #expect(redacted("a: [hunter2").isEmpty)
    #expect(redacted("hunter2") == [Redaction.mark])
  }

  @Test func problemsDoNotQuote() {
    let problem = ConfigurationProblem(
      origin: "waymark.yaml", mark: SourceMark(line: 3, column: 10), key: "camera.width",
      message: "a number is expected, not \"hunter2\"", hint: "")
    #expect(Redaction.problem(problem) == "waymark.yaml:3: camera.width: a number is expected, not \"…\"")
  }
}
