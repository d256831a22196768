import WaymarkImage

/// Finds a corner near the crossing of a page's sides. Bent paper does not end where straight lines through its sides cross.
///
/// A corner is a point from which an edge runs along each of two sides and not beyond, with paper between the two sides and
/// something else outside. The edges may deviate from the chords of the sides by up to 30 degrees, because bent sides leave a
/// corner in other directions than their chords.
final class CornerSearch {
  /// The position of a corner, with its score.
  struct Corner {
    var place: Point2
    /// The score, about 0…2.
    var score: Double
    /// The lead over the best score within four pixels of the assumed corner.
    var gain = 0.0
  }

  /// The largest shift of a corner, and the length of the examined parts of its sides, in pixels of the work picture.
  private static let reach = 18
  private static let length = 22
  private static let half = reach + length + 2
  private static let width = 2 * half + 1
  /// The number of tried directions of each side, in steps of five degrees.
  private static let angles = 13
  private static let step = 5.0 * Double.pi / 180

  private var planes = [UInt8](repeating: 0, count: 2 * angles * width * width)

  /// Returns the corner with the best score within `reach` pixels of an assumed one.
  ///
  /// - Parameters:
  ///   - map: The edges of the work picture.
  ///   - closed: The planes of the work picture without dark marks.
  ///   - old: The assumed corner.
  ///   - before: The previous corner of the page, clockwise.
  ///   - after: The next corner of the page, clockwise.
  /// - Returns: The corner; `nil` where no point has edges along both sides.
  func corner(_ map: EdgeView, _ closed: [UnsafePointer<UInt8>], _ old: Point2, before: Point2, after: Point2)
    -> Corner?
  {
    let nominal = [unit(before - old), unit(after - old)]
    let (ox, oy) = (Int(old.x.rounded()) - Self.half, Int(old.y.rounded()) - Self.half)
    fill(map, ox, oy, nominal)
    let directions = nominal.map { n in
      (0..<Self.angles).map { k -> Point2 in
        let turn = Double(k - Self.angles / 2) * Self.step
        let (c, s) = (Double.cosine(turn), Double.sine(turn))
        return Point2(n.x * c - n.y * s, n.x * s + n.y * c)
      }
    }
    let sides = min(old.distance(to: before), old.distance(to: after))
    let length = max(8, min(Self.length, Int(0.4 * sides)))
    var best: Corner?
    var own = 0.0
    let w = Self.width
    // The offsets in the window of the points along each direction, and of the points beyond the corner.
    let along = directions.map {
      $0.map { d in stride(from: 2, through: length, by: 2).map { Self.offset(d * Double($0)) } }
    }
    let beyond = directions.map { $0.map { d in [4, 6, 8, 10].map { Self.offset(d * -Double($0)) } } }
    planes.withUnsafeBufferPointer { planes in
      for dy in stride(from: -Self.reach, through: Self.reach, by: 2) {
        for dx in stride(from: -Self.reach, through: Self.reach, by: 2)
        where dx * dx + dy * dy <= Self.reach * Self.reach {
          let at = (Self.half + dy) &* w &+ Self.half &+ dx
          var arms: [(score: Double, angle: Int)] = []
          for side in 0..<2 {
            var top = (score: -1.0, angle: 0)
            for k in 0..<Self.angles {
              let plane = (side &* Self.angles &+ k) &* w &* w &+ at
              var (sum, over) = (0, 0)
              for o in along[side][k] { sum &+= Int(planes[plane &+ o]) }
              for o in beyond[side][k] { over &+= Int(planes[plane &+ o]) }
              let bend = Double(abs(k - Self.angles / 2)) * 0.012
              let score = Double(sum) / Double(255 * along[side][k].count) - 0.4 * Double(over) / 1020 - bend
              if score > top.score { top = (score, k) }
            }
            arms.append(top)
          }
          let far = Double(dx * dx + dy * dy) / Double(Self.reach * Self.reach)
          // These scores are only scaled by the contrast below, so a point without edges is skipped.
          guard arms[0].score > 0.2, arms[1].score > 0.2 else { continue }
          let place = Point2(Double(ox + Self.half + dx), Double(oy + Self.half + dy))
          let (a, b) = (directions[0][arms[0].angle], directions[1][arms[1].angle])
          let cross = a.cross(b)
          guard abs(cross) > 0.5 else { continue }
          let seen = contrast(map, closed, place, a, b, length)
          let score = arms[0].score * seen.0 + arms[1].score * seen.1 - 0.5 * far
          if dx * dx + dy * dy <= 16 { own = max(own, score) }
          if score > best?.score ?? -1 { best = Corner(place: place, score: score) }
        }
      }
    }
    guard var found = best else { return nil }
    found.gain = found.score - own
    return found
  }

  private func unit(_ p: Point2) -> Point2 { p / max(p.length, 1e-9) }

  private static func offset(_ p: Point2) -> Int { Int(p.y.rounded()) * width + Int(p.x.rounded()) }

  /// Fills one plane per side and direction with the edges along it, widened by one pixel on all sides.
  private func fill(_ map: EdgeView, _ ox: Int, _ oy: Int, _ nominal: [Point2]) {
    let w = Self.width
    let turns = nominal.map { Int(EdgeMap.turn(Float(-$0.y), Float($0.x))) }
    planes.withUnsafeMutableBufferPointer { planes in
      planes.update(repeating: 0)
      for y in max(1, 1 - oy)..<max(max(1, 1 - oy), min(w - 1, map.height - oy)) {
        let row = (oy &+ y) &* map.width
        for x in max(1, 1 - ox)..<max(max(1, 1 - ox), min(w - 1, map.width - ox)) {
          let i = row &+ ox &+ x
          let strength = map.strength[i]
          guard strength > 0 else { continue }
          let value = UInt8(min(255, 100 + Int(strength)))
          for side in 0..<2 {
            // The angle from the nominal direction; 256 is a full turn. Opposite gradients are the same edge.
            let off = Int(Int8(truncatingIfNeeded: (Int(map.direction[i]) &- turns[side]) &* 2)) / 2
            for k in 0..<Self.angles {
              let turn = (k - Self.angles / 2) * 32 / 9
              guard abs(off - turn) <= 7 else { continue }
              let at = (side &* Self.angles &+ k) &* w &* w &+ y &* w &+ x
              for dy in -1...1 {
                for dx in -1...1 {
                  let p = at &+ dy &* w &+ dx
                  if planes[p] < value { planes[p] = value }
                }
              }
            }
          }
        }
      }
    }
  }

  /// Returns the contrast across each of two sides, 0.35…1.
  private func contrast(
    _ map: EdgeView, _ closed: [UnsafePointer<UInt8>], _ place: Point2, _ a: Point2, _ b: Point2, _ length: Int
  ) -> (Double, Double) {
    func side(_ along: Point2, _ other: Point2) -> Double {
      let normal = Point2(-along.y, along.x)
      let inward = normal.dot(other) > 0 ? normal : normal * -1
      var sum = 0
      for i in 1...5 {
        let p = place + along * (Double(length * i) / 5.5 + 1)
        sum += min(28, difference(map, closed, p + inward * 3.5, p - inward * 3.5))
      }
      return 0.35 + 0.65 * Double(sum) / 140
    }
    return (side(a, b), side(b, a))
  }

  private func difference(_ map: EdgeView, _ closed: [UnsafePointer<UInt8>], _ p: Point2, _ q: Point2) -> Int {
    func index(_ p: Point2) -> Int {
      min(max(0, Int(p.y + 0.5)), map.height - 1) &* map.width &+ min(max(0, Int(p.x + 0.5)), map.width - 1)
    }
    let (i, j) = (index(p), index(q))
    return closed.reduce(0) { max($0, abs(Int($1[i]) - Int($1[j]))) }
  }
}
