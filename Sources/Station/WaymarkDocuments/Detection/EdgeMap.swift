/// The edges of a picture as planes, borrowed from an `EdgeMap`.
struct EdgeView {
  /// The strength of the edge at each pixel, 1…255; 0 without an edge.
  let strength: UnsafePointer<UInt8>
  /// The direction of the gradient at each edge: a full turn is 256.
  let direction: UnsafePointer<UInt8>
  let width: Int
  let height: Int

  /// Returns the strength of the edge at a point if its gradient is along `normal` or opposite, within `tolerance`; otherwise 0.
  /// Angles are in 256ths of a turn.
  @inline(__always)
  func strength(_ x: Double, _ y: Double, across normal: Int, tolerance: Int) -> UInt8 {
    guard x > -0.5, y > -0.5 else { return 0 }
    let (px, py) = (Int(x + 0.5), Int(y + 0.5))
    guard px < width, py < height else { return 0 }
    let i = py &* width &+ px
    let found = strength[i]
    guard found > 0 else { return 0 }
    // Opposite gradients are the same edge.
    let off = abs(Int(Int8(truncatingIfNeeded: (Int(direction[i]) &- normal) &* 2)))
    return off <= 2 &* tolerance ? found : 0
  }
}

/// The edge pixels of a work picture, where the gradient of the strongest channel has its maximum across the edge.
final class EdgeMap {
  struct Edge {
    /// The position with subpixel precision.
    var x: Float
    var y: Float
    /// The unit gradient, from dark to bright in the strongest channel.
    var nx: Float
    var ny: Float
    /// The weight, 0…1; 1 for a step of at least `fullStep` gray levels.
    var weight: Float
  }

  private(set) var edges: [Edge] = []
  private(set) var width = 0
  private(set) var height = 0
  private let strength = PixelPlane()
  private let direction = PixelPlane()
  private var magnitude: [Int32] = []
  private var gx: [Int16] = []
  private var gy: [Int16] = []

  /// The step in gray levels below which a pixel is not an edge.
  static let leastStep: Int32 = 4
  /// The step in gray levels from which the weight is 1.
  static let fullStep: Float = 24

  /// Finds the edges of planes of equal size.
  func update(_ planes: ArraySlice<PixelPlane>) {
    guard let first = planes.first, first.width >= 8, first.height >= 8 else {
      edges.removeAll()
      (width, height) = (0, 0)
      return
    }
    (width, height) = (first.width, first.height)
    let count = width * height
    if magnitude.count != count {
      magnitude = [Int32](repeating: 0, count: count)
      gx = [Int16](repeating: 0, count: count)
      gy = [Int16](repeating: 0, count: count)
      strength.resize(width, height)
      direction.resize(width, height)
    }
    gradients(planes)
    thin()
  }

  /// The edges as planes; valid until the next `update`.
  var view: EdgeView {
    EdgeView(
      strength: UnsafePointer(strength.pixels), direction: UnsafePointer(direction.pixels), width: width, height: height
    )
  }

  /// Computes the gradients by Sobel's operator; at each pixel the channel with the largest gradient is used.
  private func gradients(_ planes: ArraySlice<PixelPlane>) {
    let w = width
    magnitude.withUnsafeMutableBufferPointer { m in
      gx.withUnsafeMutableBufferPointer { gx in
        gy.withUnsafeMutableBufferPointer { gy in
          guard let m = m.baseAddress, let gx = gx.baseAddress, let gy = gy.baseAddress else { return }
          for (index, plane) in planes.enumerated() {
            for y in 1..<(height - 1) {
              let above = plane.pixels + (y &- 1) &* w
              let here = above + w
              let below = here + w
              let row = y &* w
              for x in 1..<(w - 1) {
                let (a, b, c) = (Int16(above[x - 1]), Int16(above[x]), Int16(above[x + 1]))
                let (d, f) = (Int16(here[x - 1]), Int16(here[x + 1]))
                let (g, h, i) = (Int16(below[x - 1]), Int16(below[x]), Int16(below[x + 1]))
                let dx = (c &- a) &+ 2 &* (f &- d) &+ (i &- g)
                let dy = (g &- a) &+ 2 &* (h &- b) &+ (i &- c)
                let squared = Int32(dx) &* Int32(dx) &+ Int32(dy) &* Int32(dy)
                if index == 0 || squared > m[row &+ x] {
                  m[row &+ x] = squared
                  gx[row &+ x] = dx
                  gy[row &+ x] = dy
                }
              }
            }
          }
        }
      }
    }
  }

  /// Keeps the maxima across the edges, located at the vertex of a parabola.
  private func thin() {
    let w = width
    edges.removeAll(keepingCapacity: true)
    let least = (4 * Self.leastStep) * (4 * Self.leastStep)
    let (strength, direction) = (strength.pixels, direction.pixels)
    strength.update(repeating: 0, count: w * height)
    magnitude.withUnsafeBufferPointer { magnitude in
      gx.withUnsafeBufferPointer { gx in
        gy.withUnsafeBufferPointer { gy in
          for y in 2..<(height - 2) {
            for x in 2..<(w - 2) {
              let i = y &* w &+ x
              let m = magnitude[i]
              guard m >= least else { continue }
              let (dx, dy) = (Int32(gx[i]), Int32(gy[i]))
              let (ax, ay) = (abs(dx), abs(dy))
              // The neighbour across the edge, out of eight.
              let sx = 5 &* ax > 2 &* ay ? (dx > 0 ? 1 : -1) : 0
              let sy = 5 &* ay > 2 &* ax ? (dy > 0 ? 1 : -1) : 0
              let step = sy &* w &+ sx
              let (before, after) = (magnitude[i &- step], magnitude[i &+ step])
              guard m >= before, m > after else { continue }
              let root = Float(m).squareRoot()
              let (b, a) = (Float(before).squareRoot(), Float(after).squareRoot())
              let curve = b + a - 2 * root
              let shift = curve < -1e-3 ? max(-0.5, min(0.5, 0.5 * (b - a) / curve)) : 0
              let (nx, ny) = (Float(dx) / root, Float(dy) / root)
              // The offset along the neighbours' step, projected on the gradient.
              let along = shift * (Float(sx) * nx + Float(sy) * ny)
              let weight = min(1, root / (4 * Self.fullStep))
              edges.append(
                Edge(x: Float(x) + along * nx, y: Float(y) + along * ny, nx: nx, ny: ny, weight: weight))
              strength[i] = UInt8(max(1, weight * 255))
              direction[i] = Self.turn(nx, ny)
            }
          }
        }
      }
    }
  }

  /// Returns the direction of a vector, 256 to a full turn; the polynomial arc tangent has an error of at most half a step.
  static func turn(_ x: Float, _ y: Float) -> UInt8 {
    let (ax, ay) = (abs(x), abs(y))
    let ratio = min(ax, ay) / max(max(ax, ay), 1e-9)
    var angle = ratio * (0.97239411 - 0.19194795 * ratio * ratio)
    if ay > ax { angle = .pi / 2 - angle }
    if x < 0 { angle = .pi - angle }
    if y < 0 { angle = -angle }
    return UInt8(truncatingIfNeeded: Int((angle * 128 / .pi).rounded()))
  }
}
