public import WaymarkJSON

/// The current state; events from the next `seq` on are its deltas.
public struct Snapshot: Codable, Hashable, Sendable {
  /// The last event before the snapshot.
  public var seq: Int
  /// The run of the service.
  public var instance: String
  /// The patterns now subscribed.
  public var events: [String]
  /// Those of them that match no event that this service has: mistyped, or of a newer service.
  public var unmatched: [String]?
  /// How many earlier events follow this answer, where they were asked for.
  public var replayed: Int?
  /// True where some of those may be gone, because the service keeps no more or runs again.
  public var missed: Bool?
  /// The scanner.
  public var scanner: ScannerStatus
  /// The camera.
  public var camera: CameraStatus
  /// The armed scan.
  public var scan: ArmedScan?
  /// The AR session.
  public var session: SessionPhaseEvent?
  /// The scene in use.
  public var scene: SceneDescription?
  /// Anchors in view.
  public var anchors: [AnchorFound]
  /// Markers of anchors in view.
  public var markers: [MarkerChanged]
  /// Codes that are followed; missing where nobody has codes followed.
  public var codes: [CodeFound]?
  /// The count; missing where nobody has codes counted.
  public var count: CountState?
  /// The annotation that has the focus.
  public var annotation: AnnotationSelected?
  /// The card that is open.
  public var card: CardOpened?
  /// The pages that were captured and not yet saved.
  public var document: DocumentSession?
  /// The session that reads text.
  public var text: TextSession?
  /// Where the device and its users are, where accounts are configured.
  public var account: AccountState?
  /// The profile in use; missing where none are configured.
  public var profile: ProfileStatus?
  /// The cameras in the order of the configuration, where there are several; `scanner`, `camera`, `scan`, `codes` and `count` are of the first.
  public var cameras: [CameraOverview]?

  /// A value from its parts.
  public init(
    seq: Int, instance: String, events: [String], unmatched: [String]? = nil, replayed: Int? = nil,
    missed: Bool? = nil, scanner: ScannerStatus,
    camera: CameraStatus, scan: ArmedScan? = nil,
    session: SessionPhaseEvent? = nil, scene: SceneDescription? = nil, anchors: [AnchorFound] = [],
    markers: [MarkerChanged] = [], codes: [CodeFound]? = nil, count: CountState? = nil,
    annotation: AnnotationSelected? = nil,
    card: CardOpened? = nil, document: DocumentSession? = nil, text: TextSession? = nil,
    account: AccountState? = nil, profile: ProfileStatus? = nil, cameras: [CameraOverview]? = nil
  ) {
    self.seq = seq
    self.instance = instance
    self.events = events
    self.unmatched = unmatched
    self.replayed = replayed
    self.missed = missed
    self.scanner = scanner
    self.camera = camera
    self.scan = scan
    self.session = session
    self.scene = scene
    self.anchors = anchors
    self.markers = markers
    self.codes = codes
    self.count = count
    self.annotation = annotation
    self.card = card
    self.document = document
    self.text = text
    self.account = account
    self.profile = profile
    self.cameras = cameras
  }
}

/// One of several cameras, and the work in it.
public struct CameraOverview: Codable, Hashable, Sendable {
  /// Its name, as in `camera` of requests and events.
  public var name: String
  /// Its state.
  public var camera: CameraStatus
  /// The scanner of its frames.
  public var scanner: ScannerStatus
  /// The scan that is armed in it.
  public var scan: ArmedScan?
  /// Codes that are followed in it; missing where nobody has codes followed, and in `status`.
  public var codes: [CodeFound]?
  /// The count in it; missing where nobody has codes counted, and in `status`.
  public var count: CountState?

  /// A value from its parts.
  public init(
    name: String, camera: CameraStatus, scanner: ScannerStatus, scan: ArmedScan? = nil, codes: [CodeFound]? = nil,
    count: CountState? = nil
  ) {
    self.name = name
    self.camera = camera
    self.scanner = scanner
    self.scan = scan
    self.codes = codes
    self.count = count
  }

  /// The camera as an observer sees it.
  package var forObservers: Self {
    var copy = self
    copy.scan = scan?.forObservers
    copy.codes = codes?.map(\.forObservers)
    copy.count = count?.forObservers
    return copy
  }
}

/// A scan that is armed.
public struct ArmedScan: Codable, Hashable, Sendable {
  /// Its id.
  public var scan: String
  /// The purpose.
  public var mode: ScanMode
  /// The `context` of `scan.begin`.
  public var context: JSONValue?
  /// The client that holds it; nobody when the service armed itself.
  public var by: Actor?
  /// The verdict that waits for its confirmation.
  public var pending: ScanSuccessful?

  /// A value from its parts.
  public init(
    scan: String, mode: ScanMode, context: JSONValue? = nil, by: Actor? = nil, pending: ScanSuccessful? = nil
  ) {
    self.scan = scan
    self.mode = mode
    self.context = context
    self.by = by
    self.pending = pending
  }

  /// The scan as an observer sees it.
  package var forObservers: Self {
    var copy = self
    copy.context = nil
    copy.pending = pending?.forObservers
    return copy
  }
}
