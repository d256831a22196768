package import WaymarkImage

/// How a captured picture is turned so that it stands upright: first the rotation, then the mirror.
package struct FrameTransform: Sendable, Hashable {
  /// A turn clockwise, in degrees.
  package enum Rotation: Int, Sendable, CaseIterable, Codable {
    case none = 0
    case quarter = 90
    case half = 180
    case threeQuarters = 270
  }

  /// Nothing to do.
  package static let identity = FrameTransform(rotation: .none, mirror: false)

  /// For cameras mounted sideways.
  package var rotation: Rotation
  /// For cameras that face the user: left and right exchanged, after the rotation.
  package var mirror: Bool

  /// A rotation followed by a mirror.
  package init(rotation: Rotation = .none, mirror: Bool = false) {
    self.rotation = rotation
    self.mirror = mirror
  }

  /// True if width and height change places.
  var swapsAxes: Bool { rotation == .quarter || rotation == .threeQuarters }

  /// The size of the upright picture.
  package func size(width: Int, height: Int) -> (width: Int, height: Int) {
    swapsAxes ? (height, width) : (width, height)
  }

  /// The same as one of the eight ways a picture can lie.
  package var orientation: Orientation {
    switch (rotation, mirror) {
    case (.none, false): .upright
    case (.none, true): .mirror
    case (.half, false): .turn180
    case (.half, true): .flip
    case (.quarter, true): .transpose
    case (.quarter, false): .turn90
    case (.threeQuarters, true): .transverse
    case (.threeQuarters, false): .turn270
    }
  }
}
