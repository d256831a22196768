package import WaymarkImage

/// A code that was read in a frame, as the follower needs it.
package struct CodeDetection: Sendable {
  /// The identity of a code.
  package struct Content: Hashable, Sendable {
    /// Its symbology, by the name that the reader gives it.
    package var symbology: String
    /// The bytes that it carries.
    package var bytes: [UInt8]

    package init(symbology: String, bytes: [UInt8]) {
      self.symbology = symbology
      self.bytes = bytes
    }
  }

  package var content: Content
  /// Its outline in pixels of the frame, from the top left of the upright code clockwise.
  package var corners: Quadrilateral
  /// How many columns and rows of modules it may have; none: its elements lie in no grid, and its picture is taken as it is.
  package var grids: [SIMD2<Int>]
  /// True if it is made of bars, which say where they are across themselves only.
  package var isLinear: Bool
  /// True if one reading is enough to believe it; others wait for a second one.
  package var isCertain: Bool
  /// The width of the printed symbol in metres, without its quiet zone; `nil` where unknown.
  package var physicalWidth: Double?

  package init(
    content: Content, corners: Quadrilateral, grids: [SIMD2<Int>], isLinear: Bool = false,
    isCertain: Bool = true, physicalWidth: Double? = nil
  ) {
    self.content = content
    self.corners = corners
    self.grids = grids
    self.isLinear = isLinear
    self.isCertain = isCertain
    self.physicalWidth = physicalWidth
  }
}
