import WaymarkImage

/// Detects Data Matrix symbols that are partly outside the picture: two of its sides run up to the border, and the third,
/// between them, is whole.
struct CroppedDataMatrixFinder {
  let view: ImageView
  let levels: BlockMean

  /// Changes of tone that an alternating side must show: things with fewer are everywhere.
  private static let fewest = 7

  /// Sides that run up to the border are tried in the order of their length, so many of them at most: bars, fences and keyboards have
  /// hundreds.
  private static let most = 12

  /// A symbol whose corner of the L is in the picture, and one of whose strokes is not to its end.
  func finding(_ c: DataMatrixCorner) -> MatrixDetection? {
    let (isUpper, isRight) = (border(at: c.top) != nil, border(at: c.right) != nil)
    guard isUpper != isRight else { return nil }
    let (whole, cut) = isRight ? (c.top, c.right) : (c.right, c.top)
    guard let side = border(at: cut) else { return nil }
    let search = DataMatrixTimingSearch(view: view, levels: levels, inverted: c.inverted)
    let (u, v) = ((cut - c.corner) / cut.distance(to: c.corner), (whole - c.corner) / whole.distance(to: c.corner))
    guard let stroke = search.thickness(from: c.corner, to: whole, along: [], inward: u),
      let other = search.thickness(from: c.corner, to: cut, along: [], inward: v), stroke < 2 * other,
      other < 2 * stroke, whole.distance(to: c.corner) > 7 * stroke
    else { return nil }
    let top = search.pattern(from: whole, back: -v * other, along: u * stroke, length: cut.distance(to: c.corner))
    guard let top, isCut(top, at: side, module: stroke) else { return nil }
    var frame = Frame(view, inverted: c.inverted)
    frame.addStroke(from: c.corner, to: whole, inward: u * stroke)
    frame.addStroke(from: c.corner, to: cut, inward: v * other)
    frame.addTiming(top, outward: v * other)
    guard frame.isClear else { return nil }
    return finding([whole, c.corner], towards: cut - c.corner, module: stroke, inverted: c.inverted)
  }

  /// Symbols of which the corner of the L lies outside: a stroke that comes from the border, the alternating side at its end,
  /// and from the end of that one the other alternating side, back to the border.
  func detections(_ contours: Contours, shortest: Double) -> [MatrixDetection] {
    let search = DataMatrixTimingSearch(view: view, levels: levels, inverted: false)
    var sides: [(from: Point2, end: Point2, border: Int, inward: Point2, length: Double)] = []
    for polygon in contours.polygons {
      let count = polygon.corners.count
      for i in 0..<count {
        let (a, b) = (polygon.points[polygon.corners[i]], polygon.points[polygon.corners[(i + 1) % count]])
        let length = a.distance(to: b)
        guard length >= shortest, polygon.sides.contains(length), let (from, end) = fromBorder(a, b),
          let side = border(at: from)
        else { continue }
        // A line along the border of the picture does not belong to a code.
        guard border(at: (from + end) / 2 + (from - end) * 0.1) == nil else { continue }
        // The dark is to the right of the border as it is followed.
        sides.append((from, end, side, Point2(a.y - b.y, b.x - a.x) / length, length))
      }
    }
    var detections: [MatrixDetection] = []
    for (from, end, side, inward, length) in sides.sorted(by: { $0.length > $1.length }).prefix(Self.most) {
      let back = (from - end) / length
      guard let stroke = search.thickness(from: from, to: end, along: [], inward: inward), length > 5 * stroke,
        let near = search.pattern(from: end, back: back * stroke, along: inward * stroke, length: 2 * length),
        near.changes.count >= Self.fewest, let last = near.changes.last
      else { continue }
      let way = (last - near.changes[0]) / last.distance(to: near.changes[0])
      let pitch = last.distance(to: near.changes[0]) / Double(near.changes.count - 1)
      let far = last + way * pitch - back * (0.5 * stroke)
      let other = search.pattern(from: far + back * stroke, back: -way * pitch, along: back * stroke, length: length)
      guard let other, isCut(other, at: side, module: stroke) else { continue }
      var frame = Frame(view, inverted: false)
      frame.addStroke(from: from, to: end, inward: inward * stroke)
      frame.addTiming(near, outward: -back * stroke)
      frame.addTiming(other, outward: way * pitch)
      guard frame.isClear else { continue }
      detections.append(finding([end, far], towards: back * length, module: stroke, inverted: false))
    }
    return detections
  }

  /// The dark and light levels at a symbol's strokes, its alternating sides, and its quiet zone.
  private struct Frame {
    private let view: ImageView
    private let inverted: Bool
    private var dark: [Double] = []
    private var light: [Double] = []

    init(_ view: ImageView, inverted: Bool) {
      self.view = view
      self.inverted = inverted
    }

    private func value(_ p: Point2) -> Double { inverted ? 255 - view.sample(p) : view.sample(p) }

    /// - Parameter inward: a module.
    mutating func addStroke(from a: Point2, to b: Point2, inward: Point2) {
      for i in 1..<12 {
        let p = a + (b - a) * (0.08 * Double(i))
        dark.append(value(p + inward * 0.5))
        light.append(value(p - inward))
      }
    }

    /// - Parameter outward: a module.
    mutating func addTiming(_ timing: DataMatrixTiming, outward: Point2) {
      for (i, (a, b)) in zip(timing.changes, timing.changes.dropFirst()).enumerated() {
        let p = (a + b) / 2
        if i.isMultiple(of: 2) { light.append(value(p)) } else { dark.append(value(p)) }
        light.append(value(p + outward))
      }
    }

    /// True if all but a few places are as they should be.
    var isClear: Bool {
      let (low, high) = (dark.reduce(0, +) / Double(dark.count), light.reduce(0, +) / Double(light.count))
      guard high - low > 40 else { return false }
      let (darkest, lightest) = (low + 0.45 * (high - low), low + 0.55 * (high - low))
      let right = dark.count { $0 < darkest } + light.count { $0 > lightest }
      return 100 * right >= 94 * (dark.count + light.count)
    }
  }

  private func finding(_ whole: [Point2], towards cut: Point2, module: Double, inverted: Bool) -> MatrixDetection {
    let outside = cut * (1 + max(6, 4 * module) / cut.length)
    var finding = MatrixDetection(
      symbology: .dataMatrix,
      corners: Quadrilateral(
        topLeft: whole[0], topRight: whole[0] + outside, bottomRight: whole[1] + outside, bottomLeft: whole[1]),
      module: module, certainty: 0.95)
    finding.inverted = inverted
    return finding
  }

  /// Returns whether an alternating side goes on, as even as such a side is, until the picture ends.
  private func isCut(_ timing: DataMatrixTiming?, at side: Int, module: Double) -> Bool {
    guard let changes = timing?.changes, changes.count >= Self.fewest, let last = changes.last,
      distances(last)[side] < 3 * module
    else { return false }
    let pitch = changes[0].distance(to: last) / Double(changes.count - 1)
    guard pitch > 0.6 * module, pitch < 1.7 * module else { return false }
    // Pairs, since a spread of ink makes dark ones longer.
    return zip(changes, changes.dropFirst(2)).allSatisfy { a, b in abs(a.distance(to: b) - 2 * pitch) < 0.6 * pitch }
  }

  /// The border of the picture at which a point lies, if it does.
  private func border(at p: Point2) -> Int? {
    let distances = distances(p)
    return distances.indices.first { distances[$0] < 2.5 }
  }

  private func distances(_ p: Point2) -> [Double] {
    [p.x, p.y, Double(view.width - 1) - p.x, Double(view.height - 1) - p.y]
  }

  /// The one end at the border of the picture, and the other one, which is not.
  private func fromBorder(_ a: Point2, _ b: Point2) -> (from: Point2, end: Point2)? {
    switch (border(at: a), border(at: b)) {
    case (.some, .none): (a, b)
    case (.none, .some): (b, a)
    default: nil
    }
  }
}
