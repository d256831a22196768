import Logging
import NIOCore
import NIOPosix
import WaymarkConfiguration
import WaymarkImage
import WaymarkPeople
import WaymarkProtocol
package import WaymarkServer
package import WaymarkService
import WaymarkSystem

/// `signature.*`: keeps signatures until they expire or are removed, and returns them as SVG, PNG or JSON.
@ServiceActor
package final class SignatureModule: FeatureModule {
  private unowned let hub: Hub
  private let store: RecordStore

  /// A stored signature with the key of its request and its sender.
  private struct Kept: Codable {
    let record: SignatureRecord
    let key: String?
    let by: Actor
  }

  package init(hub: Hub, store: RecordStore) {
    self.hub = hub
    self.store = store
  }

  package var features: [String] { ["signatures"] }

  package func settings(_ configuration: ServiceConfiguration) -> @ServiceActor () -> Void {
    let limits = SignatureSettings(configuration.values).limits
    return { [weak self] in self?.store.limits = limits }
  }

  private nonisolated static let notFound = ServiceError(
    .notFound, "No stored signature has this id.", hint: "It may have been removed, or have expired.")

  package func register(in methods: inout MethodTable) {
    methods.addLater(SignatureSaveRequest.self) { [weak self] request, connection in
      let by = connection.actor
      let signature = try Self.signature(request)
      return { [weak self] in
        guard let self else { throw ServiceError(.stopping, "The service stops.", hint: "Send it again.") }
        return try await self.save(signature, key: request.key, by)
      }
    }
    methods.addLater(SignatureListRequest.self) { [weak self] request, _ in
      let limit = request.limit ?? 20
      return { [weak self] in
        try await self?.list(limit, after: request.after) ?? SignatureListResult(signatures: [], more: false)
      }
    }
    methods.addLater(SignatureRemoveRequest.self) { [weak self] request, _ in
      { [weak self] in
        guard let self, await self.store.remove(request.id) else { throw Self.notFound }
        return await SignatureRemoveResult(kept: self.store.entries.count)
      }
    }
    methods.addTaking(SignatureGetRequest.self) { [weak self] request, incoming, connection in
      try self?.get(request, incoming, connection)
    }
  }

  private nonisolated static func signature(_ request: SignatureSaveRequest) throws -> Signature {
    do throws(SignatureError) {
      return try Signature(
        strokes: try Signature.strokes(fromWire: request.strokes), width: request.width, height: request.height,
        time: WallClock.timestamp, signer: request.signer ?? "", purpose: request.purpose,
        subject: request.subject ?? "")
    } catch {
      throw ServiceError(.badParams, "signature.save: \(error.message)", hint: error.hint)
    }
  }

  private func save(_ signature: Signature, key: String?, _ by: Actor) async throws -> SignatureSaveResult {
    if let known = store.receipt(of: key, as: SignatureSaveResult.self) { return known }
    let record = SignatureRecord(signature)
    let id: String
    do {
      id = try await store.add(try JSONLineEncoder.encode(Kept(record: record, key: key, by: by))).id
    } catch RecordStore.Refusal.full {
      hub.log.error("a signature was refused: the maximum is stored", metadata: ["kept": "\(store.entries.count)"])
      throw ServiceError(
        .full, "\(store.entries.count) signatures are stored, which is the maximum.",
        hint: "Fetch them with signature.get and delete them with signature.remove.")
    } catch RecordStore.Refusal.failed(let problem) {
      hub.log.error(
        "a signature cannot be stored", metadata: ["error": "\(problem.message)", "hint": "\(problem.hint)"])
      throw ServiceError(.internalError, "The signature cannot be stored: \(problem.message).", hint: problem.hint)
    }
    let result = SignatureSaveResult(id: id, saved: record.time, hash: record.hash)
    store.remember(result, of: id, key: key)
    hub.publish(Self.event(Kept(record: record, key: key, by: by), id))
    return result
  }

  private nonisolated static func event(_ kept: Kept, _ id: String) -> SignatureSaved {
    SignatureSaved(
      id: id, saved: kept.record.time, hash: kept.record.hash, purpose: kept.record.purpose,
      signer: kept.record.signer.isEmpty ? nil : kept.record.signer, key: kept.key, by: kept.by)
  }

  /// Reads a record; nil if the id is unknown or the record is unreadable, which is logged.
  private func kept(_ id: String) async throws -> Kept? {
    guard let bytes = try await store.read(id) else { return nil }
    do {
      return try JSONValueDecoder.decode(Kept.self, from: try JSONParser.parse(bytes))
    } catch {
      hub.log.error("a stored signature cannot be read", metadata: ["id": "\(id)", "error": "\(error)"])
      return nil
    }
  }

  private func list(_ limit: Int, after: String?) async throws -> SignatureListResult {
    store.forgetOld()
    let entries = store.entries.filter { $0.id > after ?? "" }
    var signatures: [SignatureSaved] = []
    for entry in entries.prefix(limit) {
      if let kept = try await kept(entry.id) { signatures.append(Self.event(kept, entry.id)) }
    }
    return SignatureListResult(signatures: signatures, more: entries.count > limit)
  }

  // MARK: Files

  private func get(_ request: SignatureGetRequest, _ incoming: IncomingRequest, _ connection: Connection) throws {
    let format = request.format ?? .svg
    let outlet = connection.carryPictures()
    connection.countInFlight(1)
    Task { @ServiceActor in
      do {
        guard let record = try await self.kept(request.id)?.record else { throw Self.notFound }
        let bytes = try await BlockingWork.records.runIfActive { try Self.file(record, format) }
        let header = MediaHeader(
          id: incoming.id, format: MediaFormat(format), width: record.width, height: record.height, size: bytes.count)
        if var buffer = self.hub.encode(header) {
          buffer.writeBytes(bytes)
          outlet.send(picture: buffer)
        }
      } catch {
        self.hub.fail(incoming, connection, error)
      }
      connection.countInFlight(-1)
    }
  }

  private nonisolated static func file(_ record: SignatureRecord, _ format: SignatureFormat) throws -> [UInt8] {
    switch format {
    case .json: Array(record.json.utf8)
    case .svg: Array(SignatureSVG.draw(try record.signature()).utf8)
    case .png: try SignaturePNG.encode(try record.signature())
    }
  }
}

extension Feature {
  /// The feature that stores signatures.
  package static let signatures: Feature = {
    var feature = Feature()
    feature.keys = SignatureSettings.keys
    feature.problems = { $0.folderProblems("signatures.folder") }
    feature.make = { context in
      let settings = SignatureSettings(context.configuration.values)
      return SignatureModule(hub: context.hub, store: try RecordStore(folder: settings.folder, limits: settings.limits))
    }
    return feature
  }()
}

/// The settings of the section `signatures`.
private struct SignatureSettings: Configurable {
  var folder: String?
  var limits = RecordStore.Limits(count: 500, bytes: 32 << 20, age: 168 * 3600)

  static let settings: [Setting<Self>] = [
    Setting(
      "signatures.folder", .path,
      "folder of [signatures](signature.md), else in memory",
      into: \.folder, change: .restart),
    Setting(
      "signatures.keepFor", .double(0.1...87_600), "hours that they are kept", into: \.limits.age,
      from: { (hours: Double) in hours * 3600 }, to: { $0 / 3600 }),
  ]
}
