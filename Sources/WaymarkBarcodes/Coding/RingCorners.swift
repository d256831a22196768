import WaymarkGeometry
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
    let width = x1 - x0 + 1
    var seen = [Bool](repeating: false, count: width * (y1 - y0 + 1))
    var stack = [(x, cy)]
    var pixels: [Point2] = []
    seen[(cy - y0) * width + x - x0] = true
    let most = Int(2.5 * 24 * unit.x * unit.y) + 40
    while let (px, py) = stack.popLast() {
      pixels.append(Point2(Double(px), Double(py)))
      guard pixels.count <= most else { return nil }
      for (nx, ny) in [(px - 1, py), (px + 1, py), (px, py - 1), (px, py + 1)] {
        guard nx >= x0, ny >= y0, nx <= x1, ny <= y1 else { return nil }
        let i = (ny - y0) * width + nx - x0
        if !seen[i], isRing(nx, ny) {
          seen[i] = true
          stack.append((nx, ny))
        }
      }
    }
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
    let result = Quadrilateral(topLeft: quad[0], topRight: quad[1], bottomRight: quad[2], bottomLeft: quad[3])
    // A round ring has no corners: a square one fills its outline as far as it should, a circle more.
    let fill = Double(pixels.count) / max(1, abs(result.signedArea))
    guard abs(result.signedArea) > 0.3 * modules * modules * unit.x * unit.y, fill > 0.3, fill < 0.72 else {
      return nil
    }
    return result.signedArea >= 0
      ? result
      : Quadrilateral(topLeft: quad[0], topRight: quad[3], bottomRight: quad[2], bottomLeft: quad[1])
  }
}
