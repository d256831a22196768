package import WaymarkImage

/// The phases of an AR session.
package enum ScenePhase: String, CaseIterable, Hashable, Sendable {
  /// Nobody looks for anything.
  case inactive
  /// The coaching view shows what to look for.
  case coaching
  /// Looking for the anchors, guide and crosshair on the picture.
  case scanning
  /// An anchor is there; its indicator shows for a beat.
  case matched
  /// The markers show.
  case annotating
}

/// The button of the coaching view.
package enum CoachingAction: String, Hashable, Sendable {
  case beginScan, returnToScan
}

/// Where a marker is.
package struct MarkerState: Hashable, Sendable {
  package var id: String
  /// The copy that it hangs on, where each has one of its own; else `nil`.
  package var copy: Int?
  package var visible: Bool
  package var selected: Bool
  /// Pixels of the frame, smoothed; also beside the frame, so that an arrow can point there; `nil` behind the camera.
  package var screen: Point2?
  /// Metres before the camera; `nil` where no physical width is known.
  package var depth: Double?
}

/// Where an anchor is.
package struct AnchorState: Hashable, Sendable {
  package var anchor: String
  /// Which copy; `nil` where one is followed.
  package var copy: Int?
  package var method: AnchorPlacement.Method
  /// The last sighting; `nil` once the anchor is lost.
  package var sighting: AnchorDetection?
  package var markers: [MarkerState]
}

/// An effect of a session on the world. The caller knows who caused it.
package enum SessionEffect: Sendable {
  case phase(SessionStatus)
  case anchorFound(AnchorDetection)
  /// - Parameters:
  ///   - copy: which copy; `nil` where one is followed.
  ///   - lastSeen: seconds, on the clock of the inputs.
  case anchorLost(anchor: String, copy: Int?, lastSeen: Double)
  case anchorsUpdated([AnchorState])
  /// - Parameter copy: the copy that it hangs on, where each has one of its own; else `nil`.
  case markerChanged(id: String, copy: Int?, visible: Bool, selected: Bool, pulsing: Bool)
  /// - Parameter copy: of an anchor with copies, the one that was meant, if one was.
  case annotationSelected(Annotation, copy: Int?)
  case annotationCleared(id: String)
  case cardOpened(Annotation, copy: Int?)
  case cardClosed(id: String)
  case cardAction(Annotation, copy: Int?)
  /// The input was not possible; nothing changed.
  case refused(SessionRefusal)
}

/// The current state of the session, for new subscribers.
package struct SessionStatus: Hashable, Sendable {
  package var phase: ScenePhase
  /// The name of the loaded scene.
  package var scene: String?
  /// `nil` while inactive.
  package var primaryAction: CoachingAction?
  /// The anchor whose picture the coaching view and the guide show; `nil` while inactive.
  package var guide: String?
  /// The text of the coaching view.
  package var instruction: String?
  package var selected: String?
  package var openCard: String?
}

/// Why an input was not possible.
package enum SessionRefusal: Hashable, Sendable {
  case noScene
  case wrongPhase(ScenePhase)
  case unknownAnnotation(String)
  case unknownCopy(Int)
  case noMarkerThere
  case noCard(String)
  case noAction(String)

  package var code: String {
    switch self {
    case .noScene: "noScene"
    case .wrongPhase: "wrongPhase"
    case .unknownAnnotation: "unknownAnnotation"
    case .unknownCopy: "unknownCopy"
    case .noMarkerThere: "noMarkerThere"
    case .noCard: "noCard"
    case .noAction: "noAction"
    }
  }

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
