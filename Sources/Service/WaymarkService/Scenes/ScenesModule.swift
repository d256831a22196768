import Logging
import NIOCore
import WaymarkAnchors
import WaymarkFrames
import WaymarkImage
package import WaymarkProtocol
import WaymarkScenes
package import WaymarkServer
import WaymarkSystem
package import WaymarkWorker

/// The scene in use and the AR session, with the events `scene.*`, `session.*`, `annotation.*`, `card.*` and the events of anchors.
///
/// The device has one session, which every client can control; its events name the client. The module passes detections and
/// requests to the session, publishes the session's effects, and sets the anchors that the lane searches for. While no session is
/// active, the library of the configuration is followed. `SceneInUse` loads the scene, `SceneMethods` receives the requests of
/// clients, and an `AnchorView` is a camera in which anchors can be followed.
@ServiceActor
package final class ScenesModule: ServiceModule {
  private unowned let hub: Hub
  private(set) var settings: SceneSettings
  private(set) var session: Session
  private lazy var scenes = SceneInUse(
    hub: hub, isolation: isolation, settings: settings, onLoad: { [weak self] in self?.take($0) },
    onReady: { [weak self] in self?.send(.start, by: nil) })
  private let isolation: Isolation
  /// A second session, for the library of the configuration, which is followed while `session` is inactive.
  private var alone: Session
  private var library: AnchorLibrary?
  /// The last logged problem of a damaged library.
  private var reportedFailure: String?
  private var isStopped = false
  private var generation = 0
  /// True while the lane searches for the scene's anchors, false while it searches for the library's anchors, nil while it is off.
  private var followsScene: Bool?
  /// The cameras in which anchors can be followed, and the camera in which they are followed now.
  private lazy var views: ByCamera<AnchorView> = captures.map { makeView($0, $1) }
  private lazy var view = views.first
  private let captures: ByCamera<(capture: CaptureModule, scans: ScanModule?)>
  /// The camera in the request that loaded the scene in use; nil if the request names none.
  private var requested: String?
  /// The calibrations and the field of view of the camera in use.
  private var cameras = CameraChoice()
  private var lastFrame: FrameReference?
  private var intrinsics: Intrinsics?
  private var timer: Scheduled<Void>?

  /// Adds a lane for anchors to the pipeline of each camera.
  ///
  /// - Parameter cameras: for each camera its pipeline, and the module that reads its codes. Without this module, codes are not
  ///   found as anchors.
  package init(
    hub: Hub, cameras: ByCamera<(capture: CaptureModule, scans: ScanModule?)>, isolation: Isolation = .none,
    settings: SceneSettings
  ) {
    self.hub = hub
    self.settings = settings
    self.isolation = isolation
    captures = cameras
    session = Session(configuration: settings.session)
    alone = Session(configuration: settings.session)
    for view in views.all { view.capture.pipeline.add(view.lane) }
    self.cameras = view.choice(of: settings)
  }

  private func makeView(_ name: String, _ camera: (capture: CaptureModule, scans: ScanModule?)) -> AnchorView {
    let lane = AnchorLane.anchors(
      from: camera.scans?.sceneCodes ?? CodeMailbox(), learner: camera.capture.learner,
      maximumRate: settings.rates[name] ?? settings.rate
    ) { [weak self] reading, frame in
      let reference = FrameReference(frame)
      ServiceActor.execute { self?.take(reading, reference) }
    }
    return AnchorView(name: name, lane: lane, capture: camera.capture, scans: camera.scans)
  }

  package var features: [String] { ["anchors", "scenes", "session"] }

  var catalog: SceneCatalog { scenes.catalog }

  var loaded: LoadedScene? { scenes.loaded }

  /// Loads a scene and uses it.
  ///
  /// - Parameter camera: the camera in which the scene is followed; nil for the camera in the scene's file, or for the first camera
  ///   if the file names none.
  /// - Throws: a `ServiceError` if there is no such camera, or the scene cannot be loaded.
  func load(_ name: String, by actor: Actor, camera: String?) async throws {
    _ = try views.part(of: camera)
    try await scenes.load(name, by: actor, camera: camera)
    // If an earlier request shares the load, it may have named another camera.
    if let camera, camera != view.name { try follow(in: camera) }
  }

  /// Returns whether a scene is in use: in `camera`, or in any camera if it is nil.
  func uses(_ scene: String, in camera: String?) -> Bool {
    loaded?.name == scene && (camera == nil || camera == view.name)
  }

  /// Follows the scene in use in another camera; does nothing if `camera` is nil.
  ///
  /// - Throws: a `ServiceError` if there is no such camera.
  func follow(in camera: String?) throws {
    guard let camera else { return }
    _ = try views.part(of: camera)
    requested = camera
    look(in: camera)
  }

  /// Follows anchors in a camera, or in the first camera if none has this name.
  private func look(in name: String?) {
    var new = views.first
    do {
      new = try views.part(of: name)
    } catch {
      hub.log.subsystem(.scenes).warning(
        "the scene names a camera that the service does not have; it is followed in the first",
        metadata: ["camera": "\(name ?? "")"])
    }
    guard new.name != view.name else { return }
    stopFollowing()
    view.lane.setEnabled(false)
    read([])
    view = new
    (lastFrame, intrinsics) = (nil, nil)
    cameras = view.choice(of: settings)
    review()
  }

  /// Opens the library and loads the scene of the configuration.
  package func start() {
    openLibrary()
    review()
    scenes.loadConfigured()
  }

  private func openLibrary() {
    library = nil
    guard let path = settings.library else { return }
    do {
      let opened = try AnchorLibrary(path: path)
      try opened.load()
      library = opened
    } catch {
      hub.log.subsystem(.scenes).error(
        "the anchor library cannot be used",
        metadata: [
          "library": "\(path)", "code": "\(error.code)", "message": "\(error.message)", "hint": "\(error.hint)",
        ])
    }
  }

  /// Applies the settings of a reloaded configuration.
  ///
  /// The scene in use stays, with its phase and selection, unless the settings name another scene. It is reloaded if its name now
  /// refers to another folder.
  package func use(_ new: SceneSettings) {
    let old = settings
    settings = new
    scenes.use(new)
    session.configuration = new.session
    alone.configuration = new.session
    for (name, view) in views.parts { view.lane.setMaximumRate(new.rates[name] ?? new.rate) }
    if followsScene == true, let loaded { read(loaded.codes) }
    if new.library != old.library { openLibrary() }
    let before = cameras
    cameras = view.choice(of: new)
    let isOther = new.library != old.library || new.copies != old.copies
    review(again: cameras != before || (isOther && followsScene == false))
    scenes.follow(old)
  }

  /// Applies the calibration of the device that is in use now.
  func sourceChanged() {
    let now = view.choice(of: settings)
    guard now != cameras else { return }
    cameras = now
    review(again: true)
  }

  package func stop() {
    isStopped = true
    scenes.stop()
    timer?.cancel()
    view.lane.setEnabled(false)
    view.scans?.sceneCodes.setOpen(false)
  }

  // MARK: The session

  /// Passes an input to the session and publishes the effects.
  ///
  /// - Returns: the reason why the session refused the input; nil if the input was accepted.
  @discardableResult
  func send(_ input: SessionInput, by actor: Actor?) -> SessionRefusal? {
    handle(input, at: MonotonicClock.now, by: actor)
  }

  private func handle(
    _ input: SessionInput, at time: Double, by actor: Actor?, frame: FrameReference? = nil,
    reading: AnchorReading? = nil
  ) -> SessionRefusal? {
    let effects = session.handle(input, at: time)
    let refusal = publish(effects, by: actor, frame, reading)
    review()
    timer?.cancel()
    if let deadline = session.deadline, !isStopped {
      // 2 ms late, since a tick before the deadline has no effect.
      timer = ServiceActor.schedule(after: deadline - MonotonicClock.now + 0.002) { [weak self] in
        self?.send(.tick, by: nil)
      }
    }
    return refusal
  }

  private func take(_ reading: AnchorReading, _ frame: FrameReference) {
    guard reading.generation == generation, !isStopped else { return }
    lastFrame = frame
    logDamage()
    intrinsics = SessionWire.intrinsics(reading.intrinsics)
    let input = SessionInput.frame(
      SessionFrame(
        width: frame.width, height: frame.height, intrinsics: reading.intrinsics, sightings: reading.sightings))
    if followsScene == true {
      _ = handle(input, at: frame.captured, by: nil, frame: frame, reading: reading)
    } else {
      _ = publish(alone.handle(input, at: frame.captured), by: nil, frame, reading)
    }
  }

  /// Logs once that the library in use is damaged.
  private func logDamage() {
    guard let failure = (followsScene == true ? loaded?.library : library)?.failure, reportedFailure != failure.message
    else {
      return
    }
    reportedFailure = failure.message
    hub.log.subsystem(.scenes).error(
      "the anchor library is damaged", metadata: ["message": "\(failure.message)", "hint": "\(failure.hint)"])
  }

  private func publish(
    _ effects: [SessionEffect], by actor: Actor?, _ frame: FrameReference?, _ reading: AnchorReading?
  ) -> SessionRefusal? {
    var refusal: SessionRefusal?
    // Anchors that are lost by a timeout or a request were last seen in the last frame.
    let seenIn = frame ?? lastFrame
    let camera = view.capture.camera
    for effect in effects {
      switch effect {
      case .phase(let status): hub.publish(SessionWire.phase(status, loaded, by: actor), camera: camera, frame: frame)
      case .anchorFound(let seen): hub.publish(found(seen), camera: camera, frame: frame)
      case .anchorLost(let anchor, let copy, let lastSeen):
        hub.publish(AnchorLost(anchor: anchor, copy: copy, lastSeen: lastSeen), camera: camera, frame: seenIn)
      case .anchorsUpdated(let states):
        if let geometry = reading.map({ SessionWire.intrinsics($0.intrinsics) }) ?? intrinsics {
          hub.publish(SessionWire.updated(states, geometry), camera: camera, frame: seenIn)
        }
      case .markerChanged(let id, let copy, let visible, let selected, let pulsing):
        hub.publish(
          MarkerChanged(id: id, copy: copy, visible: visible, selected: selected, pulsing: pulsing), camera: camera,
          frame: frame)
      case .annotationSelected(let annotation, let copy):
        hub.publish(
          AnnotationSelected(id: annotation.id, copy: copy, card: SessionWire.card(annotation), by: actor),
          camera: camera)
      case .annotationCleared(let id): hub.publish(AnnotationCleared(id: id, by: actor), camera: camera)
      case .cardOpened(let annotation, let copy):
        hub.publish(
          CardOpened(id: annotation.id, copy: copy, card: SessionWire.card(annotation), by: actor), camera: camera)
      case .cardClosed(let id): hub.publish(CardClosed(id: id, by: actor), camera: camera)
      case .cardAction(let annotation, let copy):
        guard let type = SessionWire.actionType(annotation.card?.actionType) else { continue }
        hub.publish(
          CardAction(
            id: annotation.id, copy: copy, actionType: type, actionData: annotation.card?.actionData,
            businessObject: annotation.businessObject, by: actor), camera: camera)
      case .refused(let why): refusal = why
      }
    }
    return refusal
  }

  private func description(_ scene: LoadedScene) -> SceneDescription {
    var description = SessionWire.description(scene.name, scene.scene, scene.library)
    description.camera = view.capture.camera
    return description
  }

  private func found(_ seen: AnchorDetection) -> AnchorFound {
    SessionWire.found(seen, isHarmless: seen.code.map { view.scans?.isHarmless($0) ?? false } ?? false)
  }

  // MARK: The lane

  /// Sets the lane to search for the scene's anchors while a session is active, and for the library's anchors otherwise.
  ///
  /// - Parameter again: true if the anchors or the calibration have changed: the lane is then set even if it already searches for
  ///   anchors of this kind.
  private func review(again: Bool = false) {
    guard !isStopped else { return }
    let scene = session.phase != .inactive && loaded != nil
    let wanted: Bool? = scene ? true : library != nil ? false : nil
    guard wanted != followsScene || (again && wanted != nil) else { return }
    if followsScene == true, wanted != true { stopFollowing() }
    if followsScene == false, wanted != false || again { stopFollowing() }
    followsScene = wanted
    generation += 1
    let codes = wanted == true ? loaded?.codes ?? [] : []
    view.lane.settings = AnchorTask(
      library: wanted == true ? loaded?.library : wanted == false ? library : nil,
      copies: wanted == true ? loaded?.copies ?? AnchorCopies() : AnchorCopies(settings.copies), codes: codes,
      cameras: cameras, generation: generation)
    view.lane.setEnabled(wanted != nil)
    read(codes)
  }

  /// Stops following and publishes that the anchors are lost.
  private func stopFollowing() {
    let now = MonotonicClock.now
    switch followsScene {
    case true?: _ = publish(session.handle(.followingStopped, at: now), by: nil, nil, nil)
    case false?: _ = publish(alone.handle(.followingStopped, at: now), by: nil, nil, nil)
    case nil: break
    }
    followsScene = nil
  }

  /// Sets the symbologies that are read for the anchors that are codes.
  private func read(_ codes: [AnchorCode]) {
    guard let scans = view.scans else { return }
    scans.sceneCodes.setOpen(!codes.isEmpty)
    let usual = scans.rules.settings.barcodeSymbologies
    scans.read(
      codes.reduce(into: []) { $0.formUnion($1.code.symbologies.isEmpty ? usual : Set($1.code.symbologies)) },
      for: .scene)
  }

  private func take(_ change: SceneInUse.Change) {
    let new = change.scene
    if !change.isReload { requested = change.camera }
    look(in: requested ?? new.scene.camera)
    hub.publish(SceneLoaded(scene: description(new)), camera: view.capture.camera)
    send(.sceneLoaded(new.scene, reload: change.isReload), by: change.by)
    if change.isOther { review(again: followsScene == true) }
  }

  func unload(by actor: Actor?) {
    scenes.cancelLoads()
    guard let name = loaded?.name else { return }
    send(.sceneUnloaded, by: actor)
    scenes.release()
    requested = nil
    hub.publish(SceneUnloaded(scene: name, by: actor), camera: view.capture.camera)
    look(in: nil)
    review()
  }

  // MARK: State

  package func contribute(to status: inout StatusResult) {
    status.session = SessionWire.phase(session.phase)
    status.scene = loaded?.name
    let states = followsScene == false ? alone.anchorStates : session.anchorStates
    // The name of an anchor with several copies is added once.
    status.anchors = states.compactMap { $0.sighting?.anchor }.reduce(into: []) {
      if !$0.contains($1) { $0.append($1) }
    }
    status.intrinsics = intrinsics
  }

  package func contribute(to snapshot: inout Snapshot) {
    snapshot.session = SessionWire.phase(session.status, loaded, by: nil)
    snapshot.scene = loaded.map(description)
    let states = followsScene == false ? alone.anchorStates : session.anchorStates
    snapshot.anchors = states.compactMap { $0.sighting.map(found) }
    snapshot.markers = states.flatMap(\.markers).map {
      MarkerChanged(
        id: $0.id, copy: $0.copy, visible: $0.visible, selected: $0.selected, pulsing: $0.visible && $0.selected)
    }
    let selected = session.selected.flatMap(session.annotation)
    let copy = session.selectedCopy
    snapshot.annotation = selected.map { AnnotationSelected(id: $0.id, copy: copy, card: SessionWire.card($0)) }
    snapshot.card = session.openCard.flatMap(session.annotation).map {
      CardOpened(id: $0.id, copy: copy, card: SessionWire.card($0))
    }
  }

  /// Returns the path of a picture of the scene in use, by its id for `media.resource`, or `nil`.
  package func picture(_ id: String) -> String? { loaded?.picture(id) }
}
