import Logging
import NIOCore
import WaymarkConfiguration
package import WaymarkProtocol
package import WaymarkServer
package import WaymarkService
import WaymarkSystem
package import WaymarkText

/// `text.*`: reads printed text from frames, and accepts a text once it satisfies a pattern and is stable, or when a client chooses
/// it.
///
/// A device has at most one session. The client that began the session holds it until a text is accepted or the client disconnects.
@ServiceActor
package final class TextModule: FeatureModule {
  /// The open session: its owner, its request and its recent candidates.
  private struct Session {
    var id: String
    var owner: Int
    var request: TextBeginRequest
    /// The name of the camera; nil for a single camera.
    var camera: String?
    var patterns: [String]
    var languages: [String]
    /// The recent candidates, newest last. A client may choose one after further frames have been read.
    var candidates: [AcceptedText] = []
    /// True if the last frame could not be read.
    var isFailing = false
  }

  private unowned let hub: Hub
  private var settings: TextSettings
  private let cameras: ByCamera<CaptureModule>
  /// The lane of each camera with the camera's name; the name is nil if there is only one camera.
  private lazy var lanes: ByCamera<(lane: TextLane, camera: String?)> = cameras.map { name, capture in
    (makeLane(maximumRate: settings.rates[name] ?? settings.rate), capture.camera)
  }
  /// The lane of the session's camera.
  private lazy var lane = lanes.first.lane
  private let engineHost: TextEngineHost
  private var session: Session?
  private var generation = 0
  private var timer: Scheduled<Void>?
  private var rest: Scheduled<Void>?
  private var isStopped = false
  /// The largest number of recent candidates that are kept to be chosen.
  private static let memory = 64

  /// Creates the module of `hub`, with a lane in the pipeline of each camera.
  package init(
    hub: Hub, cameras: ByCamera<CaptureModule>, settings: TextSettings, engineHost: TextEngineHost = TextEngineHost()
  ) {
    self.hub = hub
    self.settings = settings
    self.engineHost = engineHost
    self.cameras = cameras
    for (capture, part) in zip(cameras.all, lanes.all) { capture.pipeline.add(part.lane) }
  }

  private func makeLane(maximumRate: Double?) -> TextLane {
    let engineHost = engineHost
    return .text(
      maximumRate: maximumRate,
      recognize: { image, asksAll, alphabet, languages in
        try engineHost.read(image, asksAll: asksAll, alphabet: alphabet, languages: languages, now: MonotonicClock.now)
      },
      lattice: { try engineHost.lattice($0, languages: $1, now: MonotonicClock.now) },
      deliver: { [weak self] reading, frame in
        let reference = FrameReference(frame)
        ServiceActor.execute { self?.handleReading(reading, reference) }
      })
  }

  package var features: [String] { ["text"] }

  package func contribute(to snapshot: inout Snapshot) { snapshot.text = described }

  package func contribute(to status: inout StatusResult) { status.text = described }

  package func settings(_ configuration: ServiceConfiguration) -> @ServiceActor () -> Void {
    let new = TextSettings(configuration)
    return { [weak self] in self?.use(new) }
  }

  /// Applies new patterns and languages to later sessions, and new frame rates at once.
  package func use(_ settings: TextSettings) {
    self.settings = settings
    for (name, part) in lanes.parts { part.lane.setMaximumRate(settings.rates[name] ?? settings.rate) }
  }

  package func stop() {
    isStopped = true
    end(.stopping)
    rest?.cancel()
    // A reading in progress ends with the process.
    lane.setEnabled(false)
  }

  package func connectionClosed(_ connection: Connection) {
    if session?.owner == connection.number { end(.disconnected, by: connection.actor) }
  }

  package func register(in methods: inout MethodTable) {
    methods.add(TextBeginRequest.self) { [weak self] request, connection in
      guard let self, !self.isStopped else { throw ServiceError.stopping }
      return try self.begin(request, connection)
    }
    methods.add(TextChooseRequest.self) { [weak self] request, connection in
      guard let self else { throw ServiceError.stopping }
      try self.check(request.session, connection)
      return try self.choose(request.text, connection)
    }
    methods.add(TextCancelRequest.self) { [weak self] request, connection in
      try self?.check(request.session, connection)
      self?.end(.cancelled, by: connection.actor)
      return Empty()
    }
  }

  // MARK: The session

  private func begin(_ request: TextBeginRequest, _ connection: Connection) throws -> TextSession {
    if let holder = session?.owner, holder != connection.number { throw busy(holder) }
    let task = try task(request)
    let (chosen, camera) = try lanes.part(of: request.camera)
    do {
      try engineHost.check(task.languages)
    } catch {
      throw ServiceError(error)
    }
    let before = session
    end(.replaced, by: connection.actor)
    generation += 1
    var new = Session(
      id: "t" + String(UInt64.random(in: .min ... .max), radix: 36), owner: connection.number, request: request,
      camera: camera,
      patterns: task.patterns.map(\.name), languages: task.languages)
    // Candidates stay if only the region has changed.
    if let before, before.request.patterns == request.patterns, before.camera == camera {
      new.candidates = before.candidates
    }
    session = new
    lane = chosen
    lane.settings = task
    lane.settings.generation = generation
    lane.setEnabled(true)
    if let timeout = request.timeout {
      let id = new.id
      timer = ServiceActor.schedule(after: timeout) { [weak self] in
        if self?.session?.id == id { self?.end(.timedOut) }
      }
    }
    guard let described else { throw ServiceError.stopping }
    hub.publish(TextBegan(text: described), camera: camera)
    return described
  }

  private func task(_ request: TextBeginRequest) throws -> TextTask {
    var task = TextTask(languages: request.languages ?? settings.languages)
    if let shares = request.region {
      guard let region = ScanRegion(shares) else {
        throw ServiceError(
          .badParams, "region must be four fractions x, y, width, height inside the frame.",
          hint: "[0.1, 0.4, 0.8, 0.2] is a band across the middle.")
      }
      task.region = region
    }
    let patterns = request.patterns ?? []
    do {
      task.patterns = try patterns.map { try TextPattern($0, among: settings.patterns) }
    } catch let error as TextError {
      throw ServiceError(error)
    }
    let names = task.patterns.map(\.name)
    guard Set(names).count == names.count else {
      throw ServiceError(.badParams, "Two patterns have the same name.", hint: "Use distinct names.")
    }
    return task
  }

  private func busy(_ holder: Int) -> ServiceError {
    ServiceError(
      .busy, "Another client holds the text session.", hint: "Wait until its session is over.",
      holder: hub.actor(holder))
  }

  private func check(_ id: String?, _ connection: Connection) throws {
    guard let session, id == nil || id == session.id else {
      throw ServiceError(.noSession, "No text session of this id is open.", hint: "Begin one with text.begin.")
    }
    guard session.owner == connection.number else { throw busy(session.owner) }
  }

  private func choose(_ text: String, _ connection: Connection) throws -> TextAccepted {
    let candidates = session?.candidates ?? []
    let candidate = candidates.last { $0.text == text } ?? candidates.last { $0.others.contains(text) }
    guard let candidate else {
      throw ServiceError(
        .notFound, "The text is not one of the candidates.", hint: "Use one from text.candidates.")
    }
    return accept(candidate, as: text, by: connection.actor)
  }

  @discardableResult
  private func accept(
    _ text: AcceptedText, as chosen: String, by actor: Actor?, frame: FrameReference? = nil
  ) -> TextAccepted {
    let accepted = TextAccepted(
      session: session?.id ?? "", text: chosen, pattern: text.pattern, corners: TextCandidate(text).corners,
      confidence: text.confidence, automatic: actor == nil)
    hub.publish(accepted, camera: session?.camera, frame: frame)
    end(.accepted, by: actor)
    return accepted
  }

  private func end(_ reason: TextEnding, by actor: Actor? = nil) {
    guard let ended = session else { return }
    session = nil
    timer?.cancel()
    lane.setEnabled(false)
    hub.publish(TextEnded(session: ended.id, reason: reason, by: actor), camera: ended.camera)
  }

  private var described: TextSession? {
    session.map { session in
      TextSession(
        session: session.id, patterns: session.patterns, region: session.request.region, languages: session.languages,
        by: hub.actor(session.owner), camera: session.camera)
    }
  }

  // MARK: Frames

  private func handleReading(_ reading: TextReading, _ frame: FrameReference) {
    watch()
    guard let current = session, reading.generation == generation else { return }
    if let failure = reading.failure {
      // A series of frames that could not be read causes only one event.
      if !current.isFailing {
        hub.log.subsystem(.text).error("\(failure.message)", metadata: ["cause": "\(failure.cause ?? "")"])
        hub.publish(
          TextFailed(
            session: current.id, code: failure.code.rawValue, message: failure.message, hint: failure.hint),
          camera: current.camera, frame: frame)
      }
      session?.isFailing = true
      return
    }
    session?.isFailing = false
    session?.candidates.removeAll { known in reading.candidates.contains { $0.text == known.text } }
    session?.candidates += reading.candidates.reversed()
    if let count = session?.candidates.count, count > Self.memory {
      session?.candidates.removeFirst(count - Self.memory)
    }
    if hub.isWanted(TextCandidates.event) {
      hub.publish(
        TextCandidates(
          session: current.id,
          candidates: reading.candidates.map(TextCandidate.init), lines: reading.lines,
          skipped: reading.skipped == 0 ? nil : reading.skipped),
        camera: current.camera, frame: frame)
    }
    if let accepted = reading.accepted { accept(accepted, as: accepted.text, by: nil, frame: frame) }
  }

  /// Schedules the check that ends waymark-text once it is idle.
  private func watch() {
    guard rest == nil, !isStopped else { return }
    look(after: TextEngineHost.idleTime)
  }

  private func look(after seconds: Double) {
    rest = ServiceActor.schedule(after: seconds) { [weak self] in
      guard let self else { return }
      self.rest = nil
      if let left = self.engineHost.rest(now: MonotonicClock.now) { self.look(after: left) }
    }
  }
}

extension TextCandidate {
  package init(_ text: AcceptedText) {
    self.init(
      text: text.text, pattern: text.pattern, corners: text.corners.map { [$0.x, $0.y] }, confidence: text.confidence,
      doubtful: text.isDoubtful, others: text.others.isEmpty ? nil : text.others)
  }
}

extension ServiceError {
  fileprivate init(_ error: TextError) {
    let code: Code =
      switch error.code {
      case .badPattern: .badParams
      case .textEngineMissing: .textEngineMissing
      case .textLanguageMissing: .textLanguageMissing
      case .textEngineFailed: .textEngineFailed
      }
    self.init(code, error.cause.map { "\(error.message) \($0)" } ?? error.message, hint: error.hint)
  }
}

extension Feature {
  /// The feature that reads text from frames.
  package static let text: Feature = {
    var feature = Feature()
    feature.keys = TextSettings.keys
    feature.sectionKeys = TextSettings.patternKeys
    feature.cameraKeys = ["text.rate"]
    feature.profileKeys = TextSettings.keys + TextSettings.patternKeys
    feature.problems = { configuration in configuration.document.map { TextSettings.read($0).problems } ?? [] }
    feature.make = { context in
      TextModule(
        hub: context.hub, cameras: context.cameras.map { $1.capture }, settings: TextSettings(context.configuration))
    }
    return feature
  }()
}
