import Logging
import WaymarkConfiguration
import WaymarkProtocol
package import WaymarkServer
package import WaymarkService
import WaymarkSystem

/// `form.*`: keeps submitted forms until a client acknowledges them.
@ServiceActor
package final class FormModule: FeatureModule {
  private unowned let hub: Hub
  private let store: RecordStore

  package init(hub: Hub, store: RecordStore) {
    self.hub = hub
    self.store = store
  }

  package var features: [String] { ["forms"] }

  package func settings(_ configuration: ServiceConfiguration) -> @ServiceActor () -> Void {
    let limits = FormSettings(configuration.values).limits
    return { [weak self] in self?.store.limits = limits }
  }

  private nonisolated static let notFound = ServiceError(
    .notFound, "No pending form has this id.",
    hint: "It may have been acknowledged by another program, or have expired.")

  package func register(in methods: inout MethodTable) {
    methods.addLater(FormSubmitRequest.self) { [weak self] request, connection in
      try Self.check(request)
      let by = connection.actor
      return { [weak self] in
        guard let self else { throw ServiceError(.stopping, "The service stops.", hint: "Send it again.") }
        return try await self.submit(request, by)
      }
    }
    methods.addLater(FormPendingRequest.self) { [weak self] request, _ in
      let limit = request.limit ?? 20
      return { [weak self] in
        try await self?.pending(limit, after: request.after) ?? FormPendingResult(forms: [], more: false)
      }
    }
    methods.addLater(FormAcknowledgeRequest.self) { [weak self] request, _ in
      { [weak self] in
        guard let self, await self.store.remove(request.id) else { throw Self.notFound }
        return await FormAcknowledgeResult(pending: self.store.entries.count)
      }
    }
  }

  private static func check(_ request: FormSubmitRequest) throws {
    guard Set(request.fields.map(\.name)).count == request.fields.count else {
      throw ServiceError(
        .badParams, "form.submit: two fields have one name.", hint: "docs/protocol.md lists what a form may hold.")
    }
  }

  private func submit(_ request: FormSubmitRequest, _ by: Actor) async throws -> FormSubmitResult {
    if let known = store.receipt(of: request.key, as: FormSubmitResult.self) { return known }
    var form = FormSubmitted(
      id: "", form: request.form, submitted: WallClock.timestamp, fields: request.fields, key: request.key,
      context: request.context, by: by)
    do {
      form.id = try await store.add(try JSONLineEncoder.encode(form)).id
    } catch RecordStore.Refusal.full {
      hub.log.error("a form was refused: the maximum is pending", metadata: ["waiting": "\(store.entries.count)"])
      throw ServiceError(
        .full, "\(store.entries.count) forms are pending, which is the maximum.",
        hint: "Fetch them with form.pending and acknowledge them with form.acknowledge.")
    } catch RecordStore.Refusal.failed(let problem) {
      hub.log.error("a form cannot be stored", metadata: ["error": "\(problem.message)", "hint": "\(problem.hint)"])
      throw ServiceError(.internalError, "The form cannot be stored: \(problem.message).", hint: problem.hint)
    }
    let result = FormSubmitResult(id: form.id, submitted: form.submitted)
    store.remember(result, of: form.id, key: request.key)
    hub.publish(form)
    return result
  }

  private func pending(_ limit: Int, after: String?) async throws -> FormPendingResult {
    store.forgetOld()
    let waiting = store.entries.filter { $0.id > after ?? "" }
    var forms: [FormSubmitted] = []
    var bytes = 0
    for entry in waiting {
      guard forms.count < limit, forms.isEmpty || bytes + entry.size <= Self.answerLimit else {
        return FormPendingResult(forms: forms, more: true)
      }
      guard let record = try await store.read(entry.id) else { continue }
      bytes += entry.size
      do {
        var form = try JSONValueDecoder.decode(FormSubmitted.self, from: try JSONParser.parse(record))
        form.id = entry.id
        forms.append(form)
      } catch {
        // The file is kept for examination.
        hub.log.error("a stored form cannot be read", metadata: ["id": "\(entry.id)", "error": "\(error)"])
      }
    }
    return FormPendingResult(forms: forms, more: false)
  }

  /// The largest size in bytes of the forms in one answer. The answer must leave room in the connection's outbox.
  private static let answerLimit = 256 << 10
}

extension Feature {
  /// The feature that keeps submitted forms until clients acknowledge them.
  package static let forms: Feature = {
    var feature = Feature()
    feature.keys = FormSettings.keys
    feature.problems = { $0.folderProblems("forms.folder") }
    feature.make = { context in
      let settings = FormSettings(context.configuration.values)
      return FormModule(hub: context.hub, store: try RecordStore(folder: settings.folder, limits: settings.limits))
    }
    return feature
  }()
}

/// The settings of the section `forms`.
private struct FormSettings: Configurable {
  var folder: String?
  var limits = RecordStore.Limits(count: 1000, bytes: 16 << 20, age: 168 * 3600)

  static let settings: [Setting<Self>] = [
    Setting(
      "forms.folder", .path,
      "folder of pending [forms](protocol.md#forms), else in memory",
      into: \.folder, change: .restart),
    Setting(
      "forms.keepFor", .double(0.1...87_600), "hours that they are kept", into: \.limits.age,
      from: { (hours: Double) in hours * 3600 }, to: { $0 / 3600 }),
  ]
}
