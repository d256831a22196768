import WaymarkImage

/// Where further copies may stand beside those that were found, in the order of a row: on each side, a little apart.
///
/// A place is handed out once a frame, whatever it led to, and once more when the frame is looked at in double size.
struct NeighbourPlaces {
  /// The most places of one frame at one size.
  private static let most = 96
  /// From one copy to the next, in their own width or height; the search around a place reaches a third farther.
  private static let pitch = 1.06

  private var tried: [Point2] = []
  private var triedDoubled: [Point2] = []

  /// Forgets what was handed out for the frame before.
  mutating func beginFrame() {
    tried.removeAll(keepingCapacity: true)
    triedDoubled.removeAll(keepingCapacity: true)
  }

  /// The maps of an anchor moved to each side of a copy, where there is room for one: inside the frame, on no other claim.
  ///
  /// - Parameters:
  ///   - map: of the copy.
  ///   - size: of the frame in pixels.
  ///   - claims: the outlines of what was found.
  mutating func beside(
    _ map: Homography, _ reference: AnchorReference, in size: Point2, except claims: [Quadrilateral], doubled: Bool
  ) -> [Homography] {
    let (w, h) = (Double(reference.width), Double(reference.height))
    let steps = [Point2(w, 0), Point2(-w, 0), Point2(0, h), Point2(0, -h)]
    return steps.compactMap { step in
      let moved = map * Homography.translation(step * Self.pitch)
      guard let outline = moved.outline(width: w, height: h) else { return nil }
      let (center, side) = (outline.center, outline.signedArea.squareRoot())
      let margin = 0.4 * side
      let known = doubled ? triedDoubled : tried
      guard known.count < Self.most, center.x > margin, center.y > margin, center.x < size.x - margin,
        center.y < size.y - margin, !known.contains(where: { $0.distance(to: center) < 0.25 * side }),
        !claims.contains(where: { $0.contains(center) })
      else { return nil }
      if doubled { triedDoubled.append(center) } else { tried.append(center) }
      return moved
    }
  }
}
