// Prints the results of WaymarkGeometry as bits: compiled with the module's files for this processor and, as Embedded Swift, for arm64.
// A line is a name and 64-bit patterns in hexadecimal.

@_extern(c, "putchar") @discardableResult func write(_ byte: Int32) -> Int32

private func tell(_ name: StaticString, _ numbers: [Double]) {
  name.withUTF8Buffer { for byte in $0 { write(Int32(byte)) } }
  for number in numbers {
    write(32)
    let bits = number.bitPattern
    for place in 0..<16 {
      let digit = Int32((bits >> UInt64(60 - 4 * place)) & 15)
      write(digit < 10 ? 48 + digit : 87 + digit)
    }
  }
  write(10)
}

private func numbers(_ h: Homography) -> [Double] {
  [h.row0, h.row1, h.row2].flatMap { [$0.x, $0.y, $0.z] }
}

private func numbers(_ q: Quadrilateral) -> [Double] {
  [q.topLeft, q.topRight, q.bottomRight, q.bottomLeft].flatMap { [$0.x, $0.y] }
}

@main struct Geometry {
  static func main() {
    var random = RandomSource(seed: 42)
    tell("integers", (0..<64).map { _ in Double(random.below(1_000_003)) })
    tell("units", (0..<64).map { _ in random.unit() })
    tell("gaussian", (0..<64).map { _ in random.gaussian() })
    let camera = CameraIntrinsics(assumedFor: 1280, 720)
    for _ in 0..<50 {
      let size = Quadrilateral(width: 100 + 400 * random.unit(), height: 100 + 300 * random.unit())
      func moved(_ p: Point2) -> Point2 { Point2(p.x + 60 * random.unit() + 200, p.y + 60 * random.unit() + 100) }
      let seen = Quadrilateral(
        topLeft: moved(size.topLeft), topRight: moved(size.topRight), bottomRight: moved(size.bottomRight),
        bottomLeft: moved(size.bottomLeft))
      guard let truth = Homography(from: size, to: seen) else { continue }
      tell("homography", numbers(truth))
      tell("corners", numbers(truth.apply(size)))
      tell("plausible", [seen.isPlausible() ? 1 : 0, seen.meanCornerDistance(to: size)])
      // Points with noise, a third of them wrong.
      let pairs = (0..<120).map { index -> PointPair in
        let p = Point2(size.topRight.x * random.unit(), size.bottomLeft.y * random.unit())
        let wrong = index % 3 == 0 ? 300 * random.unit() : 0
        let q = truth.apply(p)
        return PointPair(reference: p, frame: Point2(q.x + random.gaussian() + wrong, q.y + random.gaussian()))
      }
      var estimator = HomographyEstimator()
      if let fit = pairs.withUnsafeBufferPointer({ estimator.estimate($0) }) {
        tell("estimate", numbers(truth.apply(size)) + numbers(fit.homography.apply(size)))
      }
      let directions = [seen.topLeft, seen.topRight].map { camera.unproject($0) }
      tell("rays", directions.flatMap { [$0.x, $0.y] })
    }
    var filter = OneEuroFilter(.init(minimumCutoff: 1.5, slope: 0.4))
    for step in 0..<60 {
      let next = filter.update(Point3(random.gaussian(), Double(step) * 0.1, random.unit()), at: Double(step) / 30)
      tell("filter", [next.x, next.y, next.z])
    }
    var turn = Quaternion(x: 0, y: 0, z: 0, w: 1)
    for _ in 0..<40 {
      let length = 0.1 * random.unit()
      turn = turn * Quaternion(x: length, y: 0.05, z: -length, w: 0.99)
      tell("turn", [turn.angle(to: Quaternion(x: 0, y: 0, z: 0, w: 1))])
    }
  }
}
