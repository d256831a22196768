import Dispatch
import Foundation
import Testing
import WaymarkConfiguration
import WaymarkProtocol

@testable import WaymarkServer
@testable import WaymarkService
@testable import WaymarkStation
@testable import WaymarkSystem
@testable import waymark_station

/// What operators are shown of the configuration, the log and the report, and nobody of the secrets in them.
@Suite("What operators set up", .serialized, .ownThread) struct SetupTests {
  private static let secret = "hunter2-hunter2"

  /// A service whose configuration names `secret` in an address, a variable and a file that a text can name.
  private func service(
    _ folder: String, report: @escaping @Sendable () throws -> ChildProgram.Result = { throw TestFailure("no report") }
  ) async throws -> TestService {
    let file = folder + "/waymark.yaml"
    try "source:\n  path: \"rtsp://camera:\(Self.secret)@host/\"\nscan: {rate: 5}\n".write(
      toFile: file, atomically: true, encoding: .utf8)
    try "\(Self.secret)\n".write(toFile: folder + "/lens", atomically: true, encoding: .utf8)
    let loader = ConfigurationLoader(
      named: file, environment: ["WAYMARK_SCENES_CACHE": "/tmp/token=\(Self.secret)"], flags: ["log.level": "debug"],
      isSystem: false, schema: stationSchema)
    let configuration = loader.load().configuration
    return try await TestService(modules: { _ in
      [
        SetupModule(file: file) {
          (configuration, ["socket"])
        } check: {
          loader.checked(Station.features, $0).problems
        } report: {
          try report()
        }
      ]
    })
  }

  @Test("The values that apply come with their origins, and without secrets")
  func shown() async throws {
    let folder = try TestFolder.make()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let service = try await service(folder)
    let result = try service.client().ask("config.show")["result"]
    #expect(result?["restart"] == ["socket"])
    let entries = result?["values"]?.array ?? []
    func entry(_ key: String) -> String? {
      entries.first { $0["key"]?.string == key }.map {
        "\($0["value"]?.string ?? "") from \($0["origin"]?.string ?? "")"
      }
    }
    #expect(entry("scan.rate") == "5 from \(folder)/waymark.yaml:3")
    #expect(entry("log.level") == "debug from command line")
    #expect(entry("scenes.cache") == "/tmp/token=[redacted] from WAYMARK_SCENES_CACHE")
    #expect(entry("source.path") == "\"rtsp://[redacted]@host/\" from \(folder)/waymark.yaml:2")
    #expect(entry("camera.keepOpen") == "false from default")
    #expect(!entries.contains { "\($0)".contains(Self.secret) })
    await service.stop()
  }

  @Test("A text is checked in place of the file, and quoted alone")
  func checked() async throws {
    let folder = try TestFolder.make()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let service = try await service(folder)
    let client = try service.client()
    func problems(_ text: String) throws -> [JSONValue]? {
      let params = JSONValue.object([.init("text", .string(text))]).compactText
      return try client.ask("config.check", params)["result"]?["problems"]?.array
    }
    #expect(try problems("scan: {rate: 7}\n") == [])
    let wrong = try problems("scan:\n  rat: 5\ntrigger:\n  key: KEY_FOO\n") ?? []
    #expect(wrong.map { $0["line"]?.int } == [2, 4])
    #expect(wrong.last?["message"]?.string?.hasSuffix("there is no key \"KEY_FOO\"") == true, "\(wrong)")
    #expect(wrong.allSatisfy { !($0["hint"]?.string ?? "").isEmpty })
    let named = try problems("camera:\n  calibrations: [\(folder)/lens]\n") ?? []
    #expect(named.count == 1 && named[0]["line"] == 2 && !"\(named)".contains(Self.secret), "\(named)")
    let fault = SetupModule.fault(
      ConfigurationProblem(
        origin: "/w.yaml", key: "camera.calibrations", message: "\"\(Self.secret)\" is not \"a\"", hint: "See \"x\"."),
      of: "a", "/w.yaml")
    #expect(fault.message == "/w.yaml: camera.calibrations: \"…\" is not \"a\"" && fault.hint == "See \"…\".")
    for text in [String(repeating: "a", count: 32_769), ""] {
      let params = JSONValue.object([.init("text", .string(text))]).compactText
      #expect(try client.ask("config.check", params)["error"]?["code"] == "badParams")
    }
    await service.stop()
  }

  @Test("One report is made at a time, with a bound and a reason where there is none")
  func report() async throws {
    let folder = try TestFolder.make()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let (begun, isReleased) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let service = try await service(folder) {
      begun.signal()
      isReleased.wait()
      return ChildProgram.Result(
        status: 0, signal: nil, isOverdue: false, output: Array("waymark report".utf8), diagnostics: [])
    }
    let (first, second) = (try service.client(), try service.client())
    try first.send("{\"id\":1,\"method\":\"report.make\"}\n")
    begun.wait()
    #expect(try second.ask("report.make")["error"]?["code"] == "busy")
    isReleased.signal()
    #expect(try first.next()["result"]?["text"] == "waymark report")
    isReleased.signal()
    #expect(try second.ask("report.make")["result"]?["text"] == "waymark report")
    await service.stop()
    let broken = try await self.service(folder) {
      ChildProgram.Result(status: 70, signal: nil, isOverdue: false, output: Array("half".utf8), diagnostics: [])
    }
    #expect(try broken.client().ask("report.make")["error"]?["code"] == "internalError")
    await broken.stop()
  }

  @Test("Observers are refused")
  func observers() async throws {
    let folder = try TestFolder.make()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let service = try await service(folder)
    let client = try service.client()
    #expect(try client.ask("log.read", #"{"lines":5}"#)["result"]?["lines"]?.array != nil)
    #expect(try client.ask("log.read", #"{"lines":0}"#)["error"]?["code"] == "badParams")
    _ = try client.ask("role.lower", #"{"role":"observer"}"#)
    for (method, params) in [
      ("config.show", "{}"), ("config.check", #"{"text":"a: b"}"#), ("log.read", "{}"), ("report.make", "{}"),
    ] {
      #expect(try client.ask(method, params)["error"]?["code"] == "notPermitted", "\(method)")
    }
    await service.stop()
  }
}
