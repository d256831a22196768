package import WaymarkBarcodes
package import WaymarkGeometry

/// What happens to a session.
package enum SessionInput: Sendable {
  /// A scene is there. A reload of the same one keeps the phase, the selection and what is followed, as far as they still
  /// exist; another one starts over.
  case sceneLoaded(Scene, reload: Bool)
  case sceneUnloaded
  /// → coaching.
  case start
  /// Begin Scan, Return to Scan: the coaching view closes.
  case scan
  /// The coaching view opens again.
  case coach
  /// → inactive.
  case exit
  case frame(SessionFrame)
  /// Time passes without a frame.
  case tick
  /// Nobody looks for anchors any more.
  case followingStopped
  case select(id: String)
  /// A tap at a point of the frame, in pixels.
  case tap(Point2)
  case next
  case previous
  case clear
  case openCard(id: String)
  case closeCard
  case cardAction(id: String)
}

/// What one frame showed.
package struct SessionFrame: Sendable {
  /// The size of the frame in pixels.
  package var width: Int
  package var height: Int
  package var intrinsics: CameraIntrinsics
  package var observations: [AnchorObservation]

  package init(width: Int, height: Int, intrinsics: CameraIntrinsics, observations: [AnchorObservation]) {
    self.width = width
    self.height = height
    self.intrinsics = intrinsics
    self.observations = observations
  }
}

/// An anchor that the engine saw in a frame.
package struct AnchorObservation: Hashable, Sendable {
  package var anchor: String
  /// Reference pixels → frame pixels.
  package var homography: Homography
  /// The images of the reference's corners (0,0), (w,0), (w,h), (0,h); of a round anchor those of the part in sight.
  package var corners: Quadrilateral
  /// Of a round anchor: the outline of what is in sight, in pixels; else empty.
  package var outline: [Point2]
  /// The size of the reference in pixels: a picture's long side is scaled to 480, a code is drawn in a size of its own.
  package var referenceSize: Point2
  /// Smoothed; `nil` where no physical width is known.
  package var pose: Pose?
  package var rawPose: Pose?
  /// 0…1.
  package var score: Double
  /// What the code says, where the anchor is one.
  package var code: Symbol?

  package init(
    anchor: String, homography: Homography, corners: Quadrilateral, referenceSize: Point2, pose: Pose? = nil,
    rawPose: Pose? = nil, score: Double, code: Symbol? = nil, outline: [Point2] = []
  ) {
    self.anchor = anchor
    self.homography = homography
    self.corners = corners
    self.referenceSize = referenceSize
    self.pose = pose
    self.rawPose = rawPose
    self.score = score
    self.code = code
    self.outline = outline
  }

  /// Whether every number of it is finite: nothing else enters the session.
  var isFinite: Bool {
    func finite(_ pose: Pose?) -> Bool {
      pose.map { $0.position.sum().isFinite && $0.orientation.vector.sum().isFinite } ?? true
    }
    return corners.isFinite && homography.rowMajor.allSatisfy(\.isFinite) && score.isFinite && finite(pose)
      && outline.allSatisfy { $0.sum().isFinite } && finite(rawPose) && referenceSize.x > 0 && referenceSize.y > 0
  }
}
