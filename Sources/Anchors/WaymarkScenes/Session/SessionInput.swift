package import WaymarkBarcodes
package import WaymarkImage

/// An input of a session.
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
  /// - Parameter copy: of an anchor with copies, the one that is meant; `nil` where that follows from what is in sight, or does not matter.
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
package struct SightKey: Hashable, Comparable, Sendable {
  package var anchor: String
  /// Which copy; `nil` where one is followed.
  package var copy: Int?

  /// In the order of names, then of numbers.
  package static func < (a: Self, b: Self) -> Bool { (a.anchor, a.copy ?? 0) < (b.anchor, b.copy ?? 0) }
}

/// The anchors of one frame.
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

/// An anchor that is seen in a frame.
@dynamicMemberLookup
package struct AnchorDetection: Hashable, Sendable {
  package var anchor: String
  /// Which copy it is; `nil` where one is followed.
  package var copy: Int?
  package var placement: AnchorPlacement
  /// True if it is flat and its proportions are exact: not of a code whose picture was cut out of a frame.
  package var hasExactProportions: Bool
  /// Of a round anchor: the outline of what is in sight, in pixels; else empty.
  package var outline: [Point2]
  /// The content of the code, where the anchor is one.
  package var code: Symbol?
  /// Where it is not proven that it is this anchor: the names of the others that it may be as well; none: a part in sight contradicts its picture.
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

  /// A part of the placement.
  package subscript<Part>(dynamicMember part: WritableKeyPath<AnchorPlacement, Part>) -> Part {
    get { placement[keyPath: part] }
    set { placement[keyPath: part] = newValue }
  }

  /// The thing that it shows.
  package var key: SightKey { SightKey(anchor: anchor, copy: copy) }

  /// How far away it is, to be compared among copies: in metres where its width is known, else in an unknown unit.
  var relativeDistance: Double {
    placement.pose?.position.length ?? 1 / max(placement.corners.signedArea, 1).squareRoot()
  }

  /// True if every number of it is finite: nothing else enters the session.
  var isFinite: Bool { placement.isFinite && outline.allSatisfy { $0.sum().isFinite } }
}
