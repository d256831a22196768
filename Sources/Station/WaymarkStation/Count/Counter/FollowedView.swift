package import WaymarkImage

/// A code in a view that was followed there from the view before.
package struct FollowedSighting: Hashable, Sendable {
  /// Its number, the same from view to view until it is lost; no other code ever has it.
  package var number: Int
  package var content: CodeContent
  /// Its corners in pixels of the view, from the upright code's top left clockwise.
  package var quad: Quadrilateral
  /// True if its corners are certain: those of a code in a plane are, where a linear code ends is often not.
  package var isMatrix: Bool

  package init(number: Int, content: CodeContent, quad: Quadrilateral, isMatrix: Bool) {
    self.number = number
    self.content = content
    self.quad = quad
    self.isMatrix = isMatrix
  }
}

/// The codes that are followed in a frame.
package struct FollowedView: Sendable {
  /// The frame's size in pixels.
  package var width: Double
  package var height: Double
  /// The frame's number: rises by one with every frame of the camera, also with those that were not looked at.
  package var frame: Int
  package var codes: [FollowedSighting]

  package init(width: Double, height: Double, frame: Int, codes: [FollowedSighting]) {
    self.width = width
    self.height = height
    self.frame = frame
    self.codes = codes
  }

  /// The codes that lie within the frame: what is cut off by its edge is followed less surely.
  var whole: [FollowedSighting] {
    codes.filter { code in
      code.quad.isFinite && code.quad.size > 1
        && code.quad.corners.allSatisfy { $0.x >= 0 && $0.y >= 0 && $0.x <= width && $0.y <= height }
    }
  }
}
