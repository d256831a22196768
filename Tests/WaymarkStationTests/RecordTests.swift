import Foundation
import Synchronization
import Testing
import WaymarkPeople
import WaymarkProtocol
import WaymarkSystem

@testable import WaymarkServer
@testable import WaymarkService
@testable import WaymarkStation

/// Forms and signatures, and the store behind them.
@Suite(.serialized, .ownThread) struct RecordTests {
  @ServiceActor
  private static func store(_ folder: String?, count: Int = 1000, bytes: Int = 1 << 20) throws -> RecordStore {
    try RecordStore(folder: folder, limits: RecordStore.Limits(count: count, bytes: bytes, age: 3600))
  }

  private func service(_ folder: String?, count: Int = 1000) async throws -> TestService {
    try await TestService { hub in
      var modules: [any ServiceModule] = []
      if let store = try? Self.store(folder.map { $0 + "/forms" }, count: count) {
        modules.append(FormModule(hub: hub, store: store))
      }
      if let store = try? Self.store(folder.map { $0 + "/signatures" }, count: count) {
        modules.append(SignatureModule(hub: hub, store: store))
      }
      return modules
    }
  }

  private static let form = #"{"form":"goods","fields":[{"name":"material","value":"4012"}],"key":"k1"}"#

  @Test(.timeLimit(.minutes(2))) func aFormWaitsForAProgramThatComesLater() async throws {
    let folder = try TestFolder.make()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    var service = try await service(folder)
    var client = try service.client()
    let id = try #require(try client.ask("form.submit", Self.form)["result"]?["id"]?.string)
    // Sent once more, it is the same one.
    #expect(try client.ask("form.submit", Self.form)["result"]?["id"]?.string == id)
    await service.stop()
    // A file that a crash left half written is ignored.
    try Data("x".utf8).write(to: URL(fileURLWithPath: folder + "/forms/000000000-1.json.new"))
    service = try await self.service(folder)
    client = try RawClient(service.path)
    _ = try client.next()
    let waiting = try client.ask("form.pending")["result"]
    #expect(waiting?["forms"]?.array?.count == 1)
    #expect(waiting?["forms"]?.array?.first?["id"]?.string == id)
    #expect(waiting?["forms"]?.array?.first?["fields"]?.array?.first?["value"] == "4012")
    #expect(try client.ask("form.acknowledge", #"{"id":"\#(id)"}"#)["result"]?["pending"]?.int == 0)
    #expect(try client.ask("form.acknowledge", #"{"id":"\#(id)"}"#)["error"]?["code"] == "notFound")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder + "/forms").isEmpty)
    let mode = try FileManager.default.attributesOfItem(atPath: folder + "/forms")[.posixPermissions] as? Int
    #expect(mode == 0o700)
    await service.stop()
  }

  @Test func aRecordAndItsReceiptGrowOldByASteadyClock() async throws {
    let clock = Mutex((wall: 1_000_000.0, boot: 10.0))
    let store = try await RecordStore(
      folder: nil, limits: RecordStore.Limits(count: 10, bytes: 1 << 10, age: 5000),
      wall: { clock.withLock { $0.wall } }, boot: { clock.withLock { $0.boot } })
    let entry = try await store.add([1])
    await store.remember("told", of: entry.id, key: "k")
    // A clock that jumps ages nothing.
    clock.withLock { $0.wall += 1_000_000 }
    await store.forgetOld()
    #expect(await store.entries == [entry])
    #expect(await store.receipt(of: "k", as: String.self) == "told")
    clock.withLock { $0 = ($0.wall + 3600, $0.boot + 3600) }
    await store.forgetOld()
    #expect(await store.entries.isEmpty)
    #expect(await store.receipt(of: "k", as: String.self) == nil)
  }

  @Test(.timeLimit(.minutes(2))) func asManyAreKeptAsMay() async throws {
    let service = try await service(nil, count: 2)
    let client = try service.client()
    for index in 0..<3 {
      let reply = try client.ask("form.submit", #"{"form":"goods","fields":[{"name":"n","value":"\#(index)"}]}"#)
      #expect((reply["error"]?["code"] == "full") == (index == 2))
    }
    // Nothing that was taken in is thrown out for something new.
    let values = try client.ask("form.pending")["result"]?["forms"]?.array?.map { $0["fields"]?.array?.first?["value"] }
    #expect(values == ["0", "1"])
    let page = try client.ask("form.pending", #"{"limit":1}"#)["result"]
    #expect(page?["more"] == true)
    await service.stop()
  }

  @Test(.timeLimit(.minutes(2))) func whatIsNoFormIsRefused() async throws {
    let service = try await service(nil)
    let client = try service.client()
    for bad in [
      #"{"form":"","fields":[{"name":"n","value":""}]}"#, #"{"form":"g","fields":[]}"#,
      #"{"form":"g","fields":[{"name":"","value":""}]}"#, #"{"form":"g","fields":[{"name":"n","value":1}]}"#,
      #"{"form":"g","fields":[{"name":"n","value":""},{"name":"n","value":""}]}"#,
      #"{"form":"g","fields":[{"name":"n","value":""}],"key":""}"#,
    ] {
      #expect(try client.ask("form.submit", bad)["error"]?["code"] == "badParams")
    }
    for bad in ["{\"limit\":0}", "{\"limit\":101}"] {
      #expect(try client.ask("form.pending", bad)["error"]?["code"] == "badParams")
    }
    await service.stop()
  }

  @Test(.timeLimit(.minutes(2))) func aSignatureComesBackAsAFile() async throws {
    let folder = try TestFolder.make()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let service = try await service(folder)
    let client = try service.client()
    #expect(
      try client.ask("signature.save", #"{"strokes":[],"width":640,"height":240,"purpose":"p"}"#)["error"]?["code"]
        == "badParams")
    let saved = try client.ask(
      "signature.save",
      #"{"strokes":[[1200,800,0,-1,140,-60,8,500]],"width":640,"height":240,"purpose":"p","signer":"Ada"}"#)["result"]
    let id = try #require(saved?["id"]?.string)
    for format in ["svg", "png", "json"] {
      let media = try service.client()
      let header = try media.ask("signature.get", #"{"id":"\#(id)","format":"\#(format)"}"#)
      #expect(header["format"]?.string == format)
      let bytes = try media.bytes(try #require(header["size"]?.int))
      let finding = try SignatureFinding.of(bytes)
      #expect(finding.isUnchanged)
      #expect(finding.claimed == saved?["hash"]?.string)
      let report = try SignatureReport(
        bytes, input: "file", expectedHash: finding.claimed.uppercased(), expectedSubject: "another")
      #expect(report.expected == true && report.subject == false && !report.whole && report.points == 2)
      #expect(
        report.text.hasPrefix("changed\n  something else was signed") && report.text.contains("by Ada\n  for p\n"))
    }
    let list = try client.ask("signature.list")["result"]?["signatures"]?.array
    #expect(list?.first?["signer"] == "Ada")
    #expect(try client.ask("signature.remove", #"{"id":"\#(id)"}"#)["result"]?["kept"]?.int == 0)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder + "/signatures").isEmpty)
    await service.stop()
  }

  @Test func observersSeeThatItHappenedAndNothingElse() {
    let form = FormSubmitted(
      id: "i", form: "goods", submitted: "t", fields: [FormField(name: "n", value: "secret")], key: "k", context: "c")
    #expect(form.forObservers == FormSubmitted(id: "i", form: "goods", submitted: "t", fields: nil))
    let signature = SignatureSaved(id: "i", saved: "t", hash: "h", purpose: "p", signer: "s", key: "k")
    #expect(signature.forObservers == SignatureSaved(id: "i", saved: "t"))
  }
}
