import Logging
import NIOCore
import WaymarkAnchors
import WaymarkFrames
import WaymarkImage
import WaymarkProtocol
import WaymarkScenes
import WaymarkServer
import WaymarkSystem
import WaymarkWorker

/// The session of a device: gives it frames and commands, tells what comes of them, and has the lane look for the
/// anchors of its scene.
///
/// While no session is active, a library from the configuration is followed on its own.
@ServiceActor
final class SceneSession {
  private unowned let hub: Hub
  private(set) var settings: SceneSettings
  /// The session, and the scene that it is in.
  private(set) var session: Session
  private let scenes: SceneInUse
  /// The session that follows when no client has one.
  private var alone: Session
  private var library: AnchorLibrary?
  /// The last reported problem of a damaged library.
  private var toldFailure: String?
  private var isStopped = false
  private var generation = 0
  private var followsScene: Bool?
  /// The cameras in which anchors can be followed, and the one in which they are.
  private let views: ByCamera<AnchorView>
  private var view: AnchorView
  /// The camera that was asked for with the scene in use.
  private var requested: String?
  /// How the camera in use maps directions to pixels.
  private var cameras = CameraChoice()
  private var lastFrame: FrameReference?
  private var intrinsics: Intrinsics?
  private var timer: Scheduled<Void>?

  /// The session of a device, with a lane in the pipeline of each camera.
  init(
    hub: Hub, cameras: ByCamera<(capture: CaptureModule, scans: ScanModule?)>, isolation: Isolation,
    settings: SceneSettings
  ) {
    self.hub = hub
    self.settings = settings
    session = Session(configuration: settings.session)
    alone = Session(configuration: settings.session)
    let relay = WeakReference<SceneSession>()
    scenes = SceneInUse(
      hub: hub, isolation: isolation, settings: settings, onLoad: { relay.object?.take($0) },
      onReady: { relay.object?.send(.start, by: nil) })
    views = cameras.map { name, camera in
      let lane = AnchorLane.anchors(
        from: camera.scans?.mail.scene ?? CodeMailbox(), learner: camera.capture.learner,
        maximumRate: settings.rates[name] ?? settings.rate,
        deliver: { reading, frame in
          let reference = FrameReference(frame)
          ServiceActor.execute { relay.object?.take(reading, reference) }
        })
      camera.capture.pipeline.add(lane)
      return AnchorView(name: name, lane: lane, capture: camera.capture, scans: camera.scans)
    }
    view = views.first
    relay.object = self
    self.cameras = view.choice(of: settings)
  }

  /// The scenes that can be loaded.
  var catalog: SceneCatalog { scenes.catalog }

  /// The scene in use.
  var loaded: LoadedScene? { scenes.loaded }

  /// Loads a scene and takes it into use.
  ///
  /// - Parameter camera: the camera in which it is followed; that of its file when nil, else the first.
  func load(_ name: String, by actor: Actor?, camera: String? = nil) async throws {
    _ = try views.part(of: camera)
    try await scenes.load(name, by: actor, camera: camera)
    // Whoever asked for it before may have meant another camera.
    if let camera, camera != view.name { try follow(in: camera) }
  }

  /// Returns whether a scene is in use, in the camera that is named, if one is.
  func uses(_ scene: String, in camera: String?) -> Bool {
    loaded?.name == scene && (camera == nil || camera == view.name)
  }

  /// Follows the scene in use in another camera; in the same one where none is named.
  func follow(in camera: String?) throws {
    guard let camera else { return }
    _ = try views.part(of: camera)
    requested = camera
    look(in: camera)
  }

  /// Has anchors followed in a camera; in the first where no camera has this name.
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
  func start() {
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

  /// Takes over what the configuration says now.
  ///
  /// The scene in use stays, with phase and selection, unless another one is named; it is read again where its name now
  /// means another folder.
  func use(_ new: SceneSettings) {
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

  /// Another camera is in use: it may have a calibration of its own.
  func sourceChanged() {
    let now = view.choice(of: settings)
    guard now != cameras else { return }
    cameras = now
    review(again: true)
  }

  func stop() {
    isStopped = true
    scenes.stop()
    timer?.cancel()
    view.lane.setEnabled(false)
    view.scans?.mail.scene.setOpen(false)
  }

  // MARK: The session

  /// Gives the session an input and tells everybody what follows.
  ///
  /// - Returns: why it was refused, if it was.
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
      // A moment late rather than early: early would change nothing.
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

  /// Says once in the log that the library in use was found to be damaged.
  private func logDamage() {
    guard let failure = (followsScene == true ? loaded?.library : library)?.failure, toldFailure != failure.message
    else {
      return
    }
    toldFailure = failure.message
    hub.log.subsystem(.scenes).error(
      "the anchor library is damaged", metadata: ["message": "\(failure.message)", "hint": "\(failure.hint)"])
  }

  private func publish(
    _ effects: [SessionEffect], by actor: Actor?, _ frame: FrameReference?, _ reading: AnchorReading?
  ) -> SessionRefusal? {
    var refusal: SessionRefusal?
    // An anchor that time or a command ends was seen in the last frame.
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
            businessObject: annotation.businessObject.map(SessionWire.json), by: actor), camera: camera)
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

  // MARK: What is looked for

  /// Fits the lane to what is wanted: the scene's anchors while a session is active, else the library's.
  ///
  /// - Parameter again: whether what is looked for, or through what, has changed although its kind has not.
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

  /// Follows nothing any more: an anchor that was followed before is not, and the events must say so.
  private func stopFollowing() {
    let now = MonotonicClock.now
    switch followsScene {
    case true?: _ = publish(session.handle(.followingStopped, at: now), by: nil, nil, nil)
    case false?: _ = publish(alone.handle(.followingStopped, at: now), by: nil, nil, nil)
    case nil: break
    }
    followsScene = nil
  }

  /// Has those codes read, and no others.
  private func read(_ codes: [AnchorCode]) {
    guard let scans = view.scans else { return }
    scans.mail.scene.setOpen(!codes.isEmpty)
    let usual = scans.rules.settings.barcodeSymbologies
    scans.read(
      codes.reduce(into: []) { $0.formUnion($1.code.symbologies.isEmpty ? usual : Set($1.code.symbologies)) },
      for: .scene)
  }

  /// Takes a scene into use.
  private func take(_ change: SceneInUse.Change) {
    let new = change.scene
    if !change.isReload { requested = change.camera }
    look(in: requested ?? new.scene.camera)
    hub.publish(
      SceneLoaded(scene: description(new)), camera: view.capture.camera)
    send(.sceneLoaded(new.scene, reload: change.isReload), by: change.by)
    if change.isOther { review(again: followsScene == true) }
  }

  /// Uses no scene.
  func unload(by actor: Actor?) {
    scenes.waitForNone()
    guard let name = loaded?.name else { return }
    send(.sceneUnloaded, by: actor)
    scenes.release()
    requested = nil
    hub.publish(SceneUnloaded(scene: name, by: actor), camera: view.capture.camera)
    look(in: nil)
    review()
  }

  // MARK: State

  func contribute(to status: inout StatusResult) {
    status.session = SessionWire.phase(session.phase)
    status.scene = loaded?.name
    let states = followsScene == false ? alone.anchorStates : session.anchorStates
    // Of several copies the name once.
    status.anchors = states.compactMap { $0.sighting?.anchor }.reduce(into: []) {
      if !$0.contains($1) { $0.append($1) }
    }
    status.intrinsics = intrinsics
  }

  func contribute(to snapshot: inout Snapshot) {
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

  /// A picture of the scene in use, for `media.resource`.
  func picture(_ id: String) -> String? {
    guard let loaded, let slash = id.firstIndex(of: "/") else { return nil }
    let (kind, name) = (id[..<slash], String(id[id.index(after: slash)...]))
    let annotation = loaded.scene.annotations.first { $0.annotation.id == name }?.annotation
    let path: String? =
      switch kind {
      case "anchor": loaded.scene.anchors.first { $0.name == name }.flatMap(\.image)
      case "card": annotation?.card?.image
      case "icon": annotation?.marker.icon.flatMap { Scene.isPicturePath($0) ? $0 : nil }
      default: nil
      }
    return path.flatMap(loaded.folder.resolved)
  }
}
