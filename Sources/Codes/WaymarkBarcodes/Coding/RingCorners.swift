import WaymarkImage

/// The four outer corners of a square ring around a point, however it is turned.
enum RingCorners {
  /// - Parameters:
  ///   - unit: the width of a ring along a row and along a column.
  ///   - isDark: the tone of the ring.
  ///   - tones: whether what lies between the middle and the ring, to the right, has the tone of the ring, in order.
  ///   - modules: how many units wide the ring is outside.
  static func find(
    _ view: ImageView, levels: BlockMean, around center: Point2, unit: Point2, isDark: Bool, past tones: [Bool],
    modules: Double
  ) -> Quadrilateral? {
    let reach = Int(9 * max(unit.x, unit.y)) + 4
    let (cx, cy) = (Int(center.x.rounded()), Int(center.y.rounded()))
    let (x0, y0) = (max(0, cx - reach), max(0, cy - reach))
    let (x1, y1) = (min(view.width - 1, cx + reach), min(view.height - 1, cy + reach))
    guard x0 < x1, y0 < y1, reach < 600, cx >= x0, cx <= x1, cy >= y0, cy <= y1 else { return nil }
    func isRing(_ x: Int, _ y: Int) -> Bool { levels.isDark(view, x, y) == isDark }
    var x = cx
    for tone in tones { while x < x1, isRing(x, cy) == tone { x += 1 } }
    guard x < x1, Double(x - cx) < 5 * unit.x + 2 else { return nil }
    var pixels: [Point2] = []
    let most = Int(2.5 * 24 * unit.x * unit.y) + 40
    var flood = FloodFill(width: x1 - x0 + 1, height: y1 - y0 + 1)
    flood.begin(x: x - x0, y: cy - y0)
    let outcome = flood.run(endsAtBorder: true) { _, to in
      isRing(x0 + to.x, y0 + to.y)
    } visit: { place in
      pixels.append(Point2(Double(x0 + place.x), Double(y0 + place.y)))
      return pixels.count <= most ? .spread : .end
    }
    guard outcome == .filled else { return nil }
    guard pixels.count > 12 else { return nil }
    func farthest(_ measure: (Point2) -> Double) -> Point2 {
      pixels.max { measure($0) < measure($1) } ?? center
    }
    let a = farthest { ($0 - center).dot($0 - center) }
    let c = farthest { ($0 - a).dot($0 - a) }
    let b = farthest { (c - a).cross($0 - a) }
    let d = farthest { -(c - a).cross($0 - a) }
    // From the middle of the outermost pixel to its rim.
    let quad = [a, b, c, d].map { p in p + (p - center) * (0.5 / max(1, (p - center).length)) }
    let result = Quadrilateral(corners: quad)
    // A round ring has no corners: a square one fills its outline as far as it should, a circle more.
    let fill = Double(pixels.count) / max(1, abs(result.signedArea))
    guard abs(result.signedArea) > 0.3 * modules * modules * unit.x * unit.y, fill > 0.3, fill < 0.72 else {
      return nil
    }
    return result.clockwise
  }
}
