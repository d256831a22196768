import WaymarkImage

/// Two finder patterns of a code whose third is torn off, painted over or lost in glare.
struct QRPair {
  let first: FinderPattern
  let second: FinderPattern

  /// One way in which two patterns may stand in a code.
  struct Basis {
    var corners: TripletCorners
    /// True if they stand one above the other, false if side by side in the frame of the code; `nil` on the diagonal.
    var isVertical: Bool?
    var layouts: [QRLayout]
  }

  /// The likely pairs among the patterns whose rings stand apart, those of most equal size first.
  static func candidates(among patterns: [FinderPattern], limit: Int) -> [QRPair] {
    let closed = Array(patterns.filter { $0.ring != nil && $0.rings >= 13 }.prefix(60))
    var all: [(pair: QRPair, cost: Double)] = []
    for (i, a) in closed.enumerated() {
      for b in closed[..<i] {
        let ratio = max(a.module / b.module, b.module / a.module)
        let modules = a.center.distance(to: b.center) / max(a.module, b.module)
        // From the sides of the smallest code to the diagonals of those with 65 modules.
        if ratio < 1.5, modules > 11, modules < 90 { all.append((QRPair(first: a, second: b), ratio + modules / 200)) }
      }
    }
    return all.sorted { $0.cost < $1.cost }.prefix(limit).map(\.pair)
  }

  /// The ways in which they may stand: side by side where their edges run along the line between them, else on the diagonal.
  var frames: [Basis] {
    let d = second.center - first.center
    let turned = Point2(-d.y, d.x)
    let beside = [
      frame([0, 0], [1, 0], towards: d, turned, isVertical: false),
      frame([1, 0], [0, 0], towards: -d, -turned, isVertical: false),
      frame([0, 0], [0, 1], towards: -turned, d, isVertical: true),
      frame([0, 1], [0, 0], towards: turned, -d, isVertical: true),
    ].compactMap(\.self)
    let u = (-d - turned) / 2
    let v = (d - turned) / 2
    let across = [
      frame([1, 0], [0, 1], towards: u, v, isVertical: nil), frame([0, 1], [1, 0], towards: -u, -v, isVertical: nil),
    ].compactMap(\.self)
    // Seen along its edges a square has its full area, across them half of it.
    let area = { (frames: [Basis]) in frames.map(\.corners.area).max() ?? 0 }
    return area(beside) >= area(across) ? beside : across
  }

  private func frame(
    _ place: Point2, _ other: Point2, towards u: Point2, _ v: Point2, isVertical: Bool?
  ) -> Basis? {
    guard let corners = TripletCorners([(place, first), (other, second)], towards: u, v) else { return nil }
    let module = corners.area.squareRoot() / 7
    guard module > 0 else { return nil }
    let distance = first.center.distance(to: second.center) / module
    let side = (isVertical == nil ? distance / 2.0.squareRoot() : distance) + 7
    guard let nearest = QRLayout(nearestSide: side) else { return nil }
    let others = [QRLayout(version: nearest.version + 1), QRLayout(version: nearest.version - 1)].compactMap(\.self)
    return Basis(corners: corners, isVertical: isVertical, layouts: [nearest] + others)
  }
}
