package import WaymarkBarcodes
package import WaymarkImage
import WaymarkSystem

/// An input of the AR session: a scene, a request of a client, a frame, or the passage of time. The file also has the
/// anchors seen in a frame (`SessionFrame`, `AnchorDetection`), and the session's effects (`SessionEffect`), refusals
/// (`SessionRefusal`), states (`SessionStatus`, `AnchorState`, `MarkerState`) and settings (`SessionConfiguration`).
package enum SessionInput: Sendable {
  /// A scene was loaded. A reload of the same scene keeps the phase, the selection and the followed anchors, as far as they
  /// still exist; another scene resets the session.
  case sceneLoaded(Scene, reload: Bool)
  case sceneUnloaded
  /// Starts the session: phase `coaching`.
  case start
  /// The button Begin Scan or Return to Scan was pressed: the coaching view closes.
  case scan
  /// The coaching view opens again.
  case coach
  /// Ends the session: phase `inactive`.
  case exit
  case frame(SessionFrame)
  /// Time passes without a frame.
  case tick
  /// The service has stopped searching for anchors, so that the anchors in sight are lost.
  case followingStopped
  /// - Parameter copy: The addressed copy of an anchor with copies; `nil`: the default copy.
  case select(id: String, copy: Int? = nil)
  /// A tap at a point of the frame, in pixels.
  case tap(Point2)
  case next
  case previous
  case clear
  case openCard(id: String, copy: Int? = nil)
  case closeCard
  case cardAction(id: String, copy: Int? = nil)
}

/// An anchor, or one of several copies of it.
package struct AnchorKey: Hashable, Comparable, Sendable {
  package var anchor: String
  /// The number of the copy; `nil` if only one copy is followed.
  package var copy: Int?

  /// Ordered by name, then by number.
  package static func < (a: Self, b: Self) -> Bool { (a.anchor, a.copy ?? 0) < (b.anchor, b.copy ?? 0) }
}

package struct SessionFrame: Sendable {
  /// The size of the frame in pixels.
  package var width: Int
  package var height: Int
  package var intrinsics: CameraIntrinsics
  package var sightings: [AnchorDetection]

  package init(width: Int, height: Int, intrinsics: CameraIntrinsics, sightings: [AnchorDetection]) {
    self.width = width
    self.height = height
    self.intrinsics = intrinsics
    self.sightings = sightings
  }
}

/// An anchor or copy seen in a frame: a picture or a code.
@dynamicMemberLookup
package struct AnchorDetection: Hashable, Sendable {
  package var anchor: String
  /// The number of the copy; `nil` if only one copy is followed.
  package var copy: Int?
  package var placement: AnchorPlacement
  /// True if the anchor is flat and its proportions are exact; false for a code whose picture was cut out of a frame.
  package var hasExactProportions: Bool
  /// The outline of the visible part of a round anchor in pixels; empty for a flat anchor.
  package var outline: [Point2]
  /// The symbol, if the anchor is a code.
  package var code: Symbol?
  /// The names of the anchors that may be in view instead, as long as the identity of the anchor is not proven; empty if only a
  /// visible part contradicts its picture; `nil` if it is proven.
  package var ambiguous: [String]?

  package init(
    anchor: String, copy: Int? = nil, _ placement: AnchorPlacement, hasExactProportions: Bool = false,
    code: Symbol? = nil, outline: [Point2] = [], ambiguous: [String]? = nil
  ) {
    self.anchor = anchor
    self.copy = copy
    self.placement = placement
    self.hasExactProportions = hasExactProportions
    self.code = code
    self.outline = outline
    self.ambiguous = ambiguous
  }

  /// Accesses a member of `placement`, such as the pose.
  package subscript<Part>(dynamicMember part: WritableKeyPath<AnchorPlacement, Part>) -> Part {
    get { placement[keyPath: part] }
    set { placement[keyPath: part] = newValue }
  }

  /// The name and copy. The session keeps the state of the anchor under this key.
  package var key: AnchorKey { AnchorKey(anchor: anchor, copy: copy) }

  /// The distance for comparing copies: in metres if the physical width is known, otherwise in an arbitrary unit.
  var relativeDistance: Double {
    placement.pose?.position.length ?? 1 / max(placement.corners.signedArea, 1).squareRoot()
  }

  /// True if all numbers are finite; otherwise the detection is ignored.
  var isFinite: Bool { placement.isFinite && outline.allSatisfy { $0.sum().isFinite } }
}

package enum ScenePhase: String, CaseIterable, Hashable, Sendable {
  /// No session is running.
  case inactive
  /// The coaching view shows the picture to look for.
  case coaching
  /// Anchors are searched for; the view shows the guide and a crosshair.
  case scanning
  /// An anchor was found; its indicator is shown for `annotateAfter` seconds.
  case matched
  case annotating
}

/// The button that closes the coaching view: Begin Scan the first time, Return to Scan afterwards.
package enum CoachingAction: String, Hashable, Sendable {
  case beginScan, returnToScan
}

package struct MarkerState: Hashable, Sendable {
  package var id: String
  /// The copy to which the marker is attached, if each copy has its own markers; otherwise `nil`.
  package var copy: Int?
  package var visible: Bool
  package var selected: Bool
  /// The smoothed position in frame pixels, which may be outside the frame so that an arrow can point to it; `nil` behind the camera.
  package var screen: Point2?
  /// The distance from the camera plane in metres; `nil` if the physical width is unknown.
  package var depth: Double?
}

package struct AnchorState: Hashable, Sendable {
  package var anchor: String
  /// The number of the copy; `nil` if only one copy is followed.
  package var copy: Int?
  package var method: AnchorPlacement.Method
  /// The last sighting; `nil` once the anchor is lost.
  package var sighting: AnchorDetection?
  package var markers: [MarkerState]
}

/// An effect of an input on a session. It does not say which client sent the input.
package enum SessionEffect: Sendable {
  case phase(SessionStatus)
  case anchorFound(AnchorDetection)
  /// - Parameters:
  ///   - copy: The number of the copy; `nil` if only one copy is followed.
  ///   - lastSeen: The time in seconds of the clock of the inputs.
  case anchorLost(anchor: String, copy: Int?, lastSeen: Double)
  case anchorsUpdated([AnchorState])
  /// - Parameter copy: The copy to which the marker is attached, if each copy has its own markers; otherwise `nil`.
  case markerChanged(id: String, copy: Int?, visible: Bool, selected: Bool, pulsing: Bool)
  /// - Parameter copy: The addressed copy of an anchor with copies, if known.
  case annotationSelected(Annotation, copy: Int?)
  case annotationCleared(id: String)
  case cardOpened(Annotation, copy: Int?)
  case cardClosed(id: String)
  case cardAction(Annotation, copy: Int?)
  /// The input was not valid in the current state; nothing changed.
  case refused(SessionRefusal)
}

/// The current state of the session, for new subscribers.
package struct SessionStatus: Hashable, Sendable {
  package var phase: ScenePhase
  /// The button of the coaching view; `nil` while inactive.
  package var primaryAction: CoachingAction?
  /// The anchor whose picture the coaching view and the guide show; `nil` while inactive.
  package var guide: String?
  /// The text of the coaching view; `nil` while inactive.
  package var instruction: String?
}

package enum SessionRefusal: Hashable, Sendable {
  case noScene
  case wrongPhase(ScenePhase)
  case unknownAnnotation(String)
  case unknownCopy(Int)
  case noMarkerThere
  case noCard(String)
  case noAction(String)

  package var message: String {
    switch self {
    case .noScene: "No scene is loaded."
    case .wrongPhase(let phase): "Not possible while the session is \(phase.rawValue)."
    case .unknownAnnotation(let id): "The scene has no annotation '\(id.prefix(64))'."
    case .unknownCopy(let copy): "No copy \(copy) of the annotation's anchor is in sight."
    case .noMarkerThere: "No marker is visible at that point."
    case .noCard(let id): "The annotation '\(id)' has no card."
    case .noAction(let id): "The card of '\(id)' has no button."
    }
  }

  package var hint: String {
    switch self {
    case .noScene: "Load one with scene.load."
    case .wrongPhase(.inactive): "Start a session with session.start."
    case .wrongPhase(.coaching): "Close the coaching view with session.scan."
    case .wrongPhase: "Watch session.phase for the right moment."
    case .unknownAnnotation: "Use an id of the loaded scene."
    case .unknownCopy: "Use the copy of an anchor in the last anchors.updated, or none."
    case .noMarkerThere: "Tap nearer to a marker that is visible."
    case .noCard: "Add a card to it in the scene."
    case .noAction: "Add actionText, actionType and actionData to the card."
    }
  }
}

/// The settings of the session: its times, the reach of a tap, and the smoothing of markers. Times are in seconds
/// rather than in frames, so that the frame rate does not change the behaviour.
package struct SessionConfiguration: Hashable, Sendable {
  /// The time in seconds for which an anchor must be seen before it is reported as found.
  package var foundAfter = 0.06
  /// The longest pause, in seconds, between sightings of an anchor that is not found yet; after a longer pause `foundAfter` starts
  /// again.
  var candidateGap = 0.25
  /// The time in seconds after which an anchor out of sight is reported as lost; its last pose is kept until then.
  package var lostAfter = 0.5
  /// The time in seconds for which the indicator is shown on a matched anchor before the markers appear.
  package var annotateAfter = 1.0
  /// The largest distance of a tap from the marker it selects, as a share of the frame's longer side.
  var tapRadius = 0.05
  /// The distance from the frame's edge, in pixels, that a marker coming into sight must have before it is shown, so that it does
  /// not flicker at the edge.
  var edgeMargin = 2.0
  /// The smoothing of marker positions: the cutoff at rest in hertz, and its rise in hertz per pixel per second. A marker at
  /// constant speed lags by at most 1/(2π·slope) pixels. The cutoff of the speed is high, so that the filter follows quickly
  /// when a hand reverses its motion.
  var smoothingCutoff = 1.0
  var smoothingSlope = 0.5
  var smoothingSpeedCutoff = 6.0

  package init() {}

  /// The conditions for reporting anchors as found and lost. A single sighting may be a mistake, so an anchor is found at its
  /// second sighting at the earliest.
  var presence: Presence.Options {
    Presence.Options(
      foundAfter: max(foundAfter, .leastNonzeroMagnitude), gap: candidateGap, lostAfter: lostAfter)
  }
}
