import Foundation
import Testing
import WaymarkConfiguration
import WaymarkProtocol
import WaymarkSpool
import WaymarkSystem

@testable import waymark_gateway

@Suite("The gateway's configuration")
struct GatewayConfigurationTests {
  private func read(_ yaml: String, file: String = "gateway.yaml", checksFiles: Bool = false) throws
    -> GatewayConfiguration
  {
    try GatewayConfiguration(yaml: yaml, file: file, checksFiles: checksFiles)
  }

  private func problem(_ yaml: String) -> String {
    do {
      _ = try read(yaml)
      return ""
    } catch {
      return "\(error)"
    }
  }

  @Test("Without a file it listens on a Unix socket and nowhere else")
  func standard() throws {
    #expect(try read("") == GatewayConfiguration())
    #expect(GatewayConfiguration().listen == [.socket(path: "/run/waymark-gateway/http.sock")])
  }

  @Test("Everything that can be set is read")
  func whole() throws {
    let configuration = try read(
      """
      listen: [/tmp/h.sock, "127.0.0.1:8632", "0.0.0.0:8633", "[::1]:1"]
      hosts: [Kiosk.example:8633]
      origins: ["https://app.example"]
      tls: { certificateFile: /c.pem, keyFile: /k.pem }
      tokens:
        line: { file: /t1, role: operator }
        view: { file: /t2 }
      connections: 100
      streams: 20
      ring: { events: 100, kilobytes: 128 }
      store: { folder: /s, events: 1000, megabytes: 2 }
      webhooks:
        erp: { url: "https://erp.example/hook", secretFile: /w, events: [scan.*], role: operator, timeout: 5, attempts: 2 }
      """)
    #expect(configuration.listen.map(\.text) == ["/tmp/h.sock", "127.0.0.1:8632", "0.0.0.0:8633", "[::1]:1"])
    #expect(configuration.listen.map(\.leavesDevice) == [false, false, true, false])
    #expect(configuration.hosts == ["kiosk.example:8633"])
    #expect(configuration.tokens.map(\.role) == [.operator, .observer])
    #expect(configuration.ringBytes == 128 << 10)
    #expect(configuration.storeLimits.bytes == 2 << 20)
    #expect(configuration.webhooks.map(\.events) == [["scan.*"]])
    #expect(configuration.webhooks.first?.role == .operator)
    #expect(configuration.webhooks.first?.attempts == 2)
  }

  @Test(
    "A port without tokens, and one that leaves the device unencrypted, is refused",
    arguments: [
      ("listen: ['127.0.0.1:8632']", "there are no tokens"),
      ("listen: ['0.0.0.0:8632']\ntokens: { a: { file: /t } }", "nothing is encrypted"),
      ("listen: ['192.0.2.1:8632']\ntls: { certificateFile: /c, keyFile: /k }", "there are no tokens"),
      ("listen: [localhost]", "nothing can listen on"), ("listen: [8632]", "nothing can listen on"),
      ("listen: ['kiosk:http']", "nothing can listen on"), ("listen: []", "is empty"),
      ("tls: { certificateFile: /c }", "not both"), ("tokens: { a: { role: observer } }", "has no file"),
      ("tokens: { a: { file: /t, role: root } }", "operator, observer"), ("origins: [app.example]", "not an origin"),
      ("webhooks: { a: { url: 'http://other.example/', secretFile: /s } }", "no address that can be used"),
      ("webhooks: { a: { url: 'https://other.example/' } }", "no secret"),
      ("webhooks: { a/b: { url: 'https://other.example/', secretFile: /s } }", "becomes a folder"),
      ("webhooks: { a: { url: 'https://other.example/', secretFile: /s, events: ['scan.*.x'] } }", "not a pattern"),
      (
        "webhooks: { a: { url: 'https://other.example/', secretFile: /s, events: [scan.*, scan.succesful] } }",
        "webhooks.a.events: there is no event \"scan.succesful\". Did you mean scan.successful?"
      ),
      ("lissen: [/a]", "listen"), ("connections: 1", "from 8 to 10000"),
    ])
  func refused(yaml: String, words: String) {
    #expect(problem(yaml).contains(words), "\(yaml): \(problem(yaml))")
  }

  @Test("Relative paths are relative to the folder of the file")
  func relative() throws {
    let configuration = try read(
      """
      listen: [http.sock, ./b.sock, a/c.sock, /d.sock, "127.0.0.1:8632"]
      socket: service.sock
      tls: { certificateFile: c.pem, keyFile: credential:key }
      tokens: { a: { file: ../t } }
      store: { folder: store }
      webhooks: { a: { url: "https://erp.example/", secretFile: s, caFile: ca.pem } }
      """, file: "/etc/w/gateway.yaml")
    #expect(
      configuration.listen.map(\.text) == [
        "/etc/w/http.sock", "/etc/w/./b.sock", "/etc/w/a/c.sock", "/d.sock", "127.0.0.1:8632",
      ])
    #expect(configuration.socket == "/etc/w/service.sock" && configuration.storeFolder == "/etc/w/store")
    #expect(configuration.tls?.certificateFile == "/etc/w/c.pem")
    #expect(configuration.tls?.keyFile == "credential:key")
    #expect(configuration.tokens.map(\.file) == ["/etc/w/../t"])
    #expect(configuration.webhooks.map(\.caFile) == ["/etc/w/ca.pem"])
    #expect(configuration.webhooks.map(\.secretFile) == ["/etc/w/s"])
  }

  @Test("Each problem is on a line of its own, with its hint, in the order of the file")
  func lines() {
    #expect(
      problem("connections: 1\nlissen: [a]\nlisten: [8632]") == """
        gateway.yaml:1: connections: a whole number from 8 to 10000 is expected, not "1". Correct the value.
        gateway.yaml:2: lissen: there is no such key. Did you mean listen?
        gateway.yaml:3: listen: nothing can listen on "8632". \
        Give HOST:PORT, such as 127.0.0.1:8632, or a path of at most 107 bytes.
        """)
  }

  @Test("A token under two names is refused: who sent it could not be said")
  func sameToken() throws {
    let folder = NSTemporaryDirectory() + "waymark-tokens-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    for (name, text) in [("a", "0123456789abcdef"), ("b", "0123456789abcdef"), ("c", "another-token-of-it")] {
      let made = FileManager.default.createFile(
        atPath: "\(folder)/\(name)", contents: Data("\(text)\n".utf8), attributes: [.posixPermissions: 0o600])
      #expect(made)
    }
    func configuration(_ files: [String]) throws -> GatewayConfiguration {
      try read(
        "tokens:\n" + files.enumerated().map { "  t\($0): { file: \(folder)/\($1) }\n" }.joined(), checksFiles: true)
    }
    #expect(try configuration(["a", "c"]).tokenTable().caller(of: "another-token-of-it")?.name == "t1")
    for files in [["a", "b"], ["a", "a"], ["c", "a", "b"]] {
      let error = #expect(throws: GatewayError.self) { try configuration(files) }
      #expect(error?.code == .badConfiguration)
      #expect(error?.message.contains("have the same token") == true)
    }
  }

  @Test("A file or folder that cannot be used is refused with its key and line")
  func files() throws {
    let folder = NSTemporaryDirectory() + "waymark-files-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let made = FileManager.default.createFile(
      atPath: "\(folder)/text", contents: Data("0123456789abcdef\n".utf8), attributes: [.posixPermissions: 0o600])
    #expect(made)
    func problem(_ yaml: String) throws -> String {
      do {
        _ = try read(yaml.replacing("DIR", with: folder), checksFiles: true)
        return ""
      } catch let error as GatewayError where error.code == .badConfiguration {
        return error.message
      }
    }
    let hook = "webhooks:\n  a:\n    url: https://h.example/\n    secretFile: DIR/text\n"
    for (yaml, words) in [
      ("tokens:\n  a: { file: DIR/none }", "gateway.yaml:2: tokens.a.file: "),
      (
        "tokens: { a: { file: DIR/text } }\ntls:\n  certificateFile: DIR/text\n  keyFile: DIR/text",
        "gateway.yaml:3: tls.certificateFile: "
      ),
      (hook.replacing("DIR/text", with: "DIR/none"), "gateway.yaml:4: webhooks.a.secretFile: "),
      (hook + "    caFile: DIR/text\n", "gateway.yaml:5: webhooks.a.caFile: "),
      (hook + "store:\n  folder: DIR/a/b\n", "gateway.yaml:6: store.folder: "),
      ("hosts: [a]\nlisten: [DIR/text]", "gateway.yaml:2: listen: "),
      ("listen: [DIR/none/s]", "gateway.yaml:1: listen: there is no folder"),
    ] {
      let found = try problem(yaml)
      #expect(found.hasPrefix(words), "\(yaml): \(found)")
    }
    let several = try problem(
      "hots: [a]\ntokens: { a: { file: DIR/none } }\nwebhooks: { b: { url: http://127.0.0.1/ } }")
    for words in [
      "gateway.yaml:1: hots: ", "gateway.yaml:2: tokens.a.file: ",
      "gateway.yaml:3: webhooks.b: the webhook has no secret",
    ] {
      #expect(several.contains(words), "\(several)")
    }
    #expect(try problem(hook + "store: { folder: DIR/store }\nlisten: [DIR/s, /run/none/s]") == "")
  }

  @Test func thePageIsTheTables() throws {
    let rows = ConfigurationReference.markdown(GatewayConfiguration.table.keys)
    try expectReference("gateway.md", [("keys", rows)])
  }
}
