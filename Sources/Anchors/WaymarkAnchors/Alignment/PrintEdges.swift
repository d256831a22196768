import WaymarkImage

/// Measures where the sides of a flat print lie in a frame, against what is behind it.
///
/// The texture in the middle of a picture determines its map; in a picture with empty margins, the corners are extrapolated. To
/// measure them, profiles are taken across each side, and in each the position of the largest change of gray level is measured. A
/// side is used if these positions are on one line in most of its profiles, and the texture allows the side at this line. The edge
/// of a frame or of a margin around the print fails this test.
struct PrintEdges {
  /// The number of profiles of a side; `reach`: the number of samples on each side of the middle of a profile.
  static let profiles = 28
  private static let reach = 6
  /// The least number of profiles on one line.
  private static let fewest = 6
  /// The least change of the gray level across a side.
  private static let leastStep = 12.0
  /// Standard deviations: of one gray level averaged along the side (`noise`, in gray levels), of the position in one profile apart
  /// from noise (`mismatch`, in pixels), and of the position of a side as a whole (`cut`, in pixels).
  private static let (noise, mismatch, cut) = (2.8, 0.3, 0.1)
  /// A side is measured if the texture alone leaves a larger standard deviation of its position, in pixels.
  private static let leastDoubt = 0.05

  /// The level of the frame, its scale, and the map from reference pixels to it.
  let view: ImageView
  let scale: Double
  let map: SurfaceMap
  let set: PatchSet
  let frame: AlignmentFrame
  /// The extent of defocus and motion blur in pixels of the level.
  let smear: Double
  /// The corners of the print in reference pixels.
  let outline: Quadrilateral
  /// Memory for the profiles of a side.
  let profiles: UnsafeMutablePointer<Profile>

  /// A profile: how far each parameter moves the side along the profile, the measured distance, its variance, the position on the
  /// side (−1…1), and the weight.
  struct Profile {
    var row: SIMD8<Double>
    var shift: Double
    var variance: Double
    var place: Double
    var weight = 0.0
  }

  /// Adds the equations of the sides in view to the equations of the texture; returns whether any side is in view.
  func add(to system: inout NormalEquations) -> Bool {
    let texture = system
    var isAny = false
    for side in 0..<4 {
      let count = measure(outline[side], outline[(side + 1) % 4], texture)
      guard Self.weigh(profiles, count, texture) else { continue }
      isAny = true
      for k in 0..<count where profiles[k].weight > 0 {
        system.add(profiles[k].row, profiles[k].shift, weight: profiles[k].weight)
      }
    }
    return isAny
  }

  /// Takes the profiles of the side between two points of the reference, and returns their number; zero if the texture
  /// determines the side.
  private func measure(_ a: Point2, _ b: Point2, _ texture: NormalEquations) -> Int {
    let step = max(1, (smear + 1) / 3)
    let border = Double(Self.reach) * step + 3
    func isKnown(_ share: Double) -> Bool {
      guard let (_, normal, _, straight) = place(a, b, share) else { return true }
      return texture.variance(of: row(normal, at: straight)) < Self.leastDoubt * Self.leastDoubt
    }
    guard step < 2.5, !isKnown(0.1) || !isKnown(0.9) else { return 0 }
    var count = 0
    for k in 0..<Self.profiles {
      let share = (Double(k) + 0.5) / Double(Self.profiles)
      guard let (p, normal, tangent, straight) = place(a, b, share), p.x > border, p.y > border,
        p.x < Double(view.width) - border, p.y < Double(view.height) - border,
        let (shift, variance) = profile(p, normal, tangent, step)
      else { continue }
      profiles[count] = Profile(
        row: row(normal, at: straight), shift: shift, variance: variance, place: 2 * share - 1)
      count += 1
    }
    return count
  }

  /// Returns a point of the side between two points of the reference, the outward normal and the tangent there, and the point
  /// without the lens distortion; `nil` if the point is not in front of the camera.
  private func place(_ a: Point2, _ b: Point2, _ share: Double) -> (Point2, Point2, Point2, Point2)? {
    let q = a + (b - a) * share
    guard map.depth(q) > 0 else { return nil }
    let straight = map.apply(q)
    let p = set.seen(straight, scale: scale)
    let along = set.seen(map.apply(q + (b - a) * 0.01), scale: scale) - p
    guard along.length > 0.01 else { return nil }
    let tangent = along / along.length
    return (p, Point2(tangent.y, -tangent.x), tangent, straight)
  }

  /// Returns the derivatives of a point's position along `normal` by the eight parameters, in pixels of the level.
  private func row(_ normal: Point2, at straight: Point2) -> SIMD8<Double> {
    let (x, y) = AlignmentParameters.derivative(frame, at: straight)
    guard let lens = set.lens else { return x * normal.x + y * normal.y }
    let (dx, dy) = lens.derivative(at: (straight + 0.5) / scale - 0.5)
    return x * normal.dot(dx) + y * normal.dot(dy)
  }

  /// Returns how far beyond a point of a side, along the normal, the gray level changes most, and the variance; `nil`
  /// without a clear change.
  private func profile(_ p: Point2, _ normal: Point2, _ tangent: Point2, _ step: Double) -> (Double, Double)? {
    var values = InlineArray<13, Double>(repeating: 0)
    for k in 0..<13 {
      let q = p + normal * (Double(k - Self.reach) * step)
      values[k] =
        (view.bilinear(inside: q) + view.bilinear(inside: q + tangent) + view.bilinear(inside: q - tangent)) / 3
    }
    // The smoothed derivative: of a step, its height in the middle and two thirds of that beside.
    var slopes = InlineArray<13, Double>(repeating: 0)
    var best = 2
    for k in 2..<11 {
      slopes[k] = abs(values[k + 2] - values[k - 2] + 2 * (values[k + 1] - values[k - 1])) / 3
      if slopes[k] > slopes[best] { best = k }
    }
    let height = slopes[best]
    guard best > 2, best < 10, height >= Self.leastStep else { return nil }
    for k in 2..<11 where abs(k - best) > 2 && slopes[k] > 0.6 * height { return nil }
    let (before, after) = (slopes[best - 1], slopes[best + 1])
    let curvature = before - 2 * height + after
    guard curvature < 0 else { return nil }
    let place = Double(best - Self.reach) + 0.5 * (before - after) / curvature
    let noise = 1.75 * Self.noise * Self.noise / (height * height)
    return (place * step, noise * step * step + Self.mismatch * Self.mismatch)
  }

  /// Sets the weights of the profiles that lie on one line; returns false if there are too few, or the texture does not allow the
  /// line.
  private static func weigh(
    _ profiles: UnsafeMutablePointer<Profile>, _ count: Int, _ texture: NormalEquations
  ) -> Bool {
    guard count >= fewest else { return false }
    var (offset, slope, sum) = (0.0, 0.0, 0.0)
    for round in 0..<4 {
      let limit: Double = round == 0 ? .infinity : round == 1 ? 1.5 : 0.8
      var (w, wu, wuu, wr, wur) = (0.0, 0.0, 0.0, 0.0, 0.0)
      for k in 0..<count {
        let p = profiles[k]
        let ratio = (p.shift - offset - slope * p.place) / limit
        let doubt: Double = max(0, 1 - ratio * ratio)
        let weight = abs(ratio) < 1 ? doubt * doubt / p.variance : 0
        profiles[k].weight = weight
        w += weight
        wu += weight * p.place
        wuu += weight * p.place * p.place
        wr += weight * p.shift
        wur += weight * p.place * p.shift
      }
      let determinant = w * wuu - wu * wu
      guard w > 0, determinant > 1e-3 * w * w else { return false }
      (offset, slope, sum) = ((wuu * wr - wu * wur) / determinant, (w * wur - wu * wr) / determinant, w)
    }
    var (used, squares) = (0, 0.0)
    for k in 0..<count where profiles[k].weight > 0 {
      let rest = profiles[k].shift - offset - slope * profiles[k].place
      used += 1
      squares += rest * rest * profiles[k].weight
    }
    guard used >= fewest, 2 * used >= count else { return false }
    let excess = max(1, squares / Double(used - 2))
    // The side as a whole may be cut or framed a little aside, an error that more profiles do not reduce.
    let share = 1 / (excess + cut * cut * sum)
    for k in 0..<count { profiles[k].weight *= share }
    let own = 4 * excess / sum + cut * cut
    for k in stride(from: 0, to: count, by: count - 1) {
      let shift = offset + slope * profiles[k].place
      guard shift * shift <= 9 * (texture.variance(of: profiles[k].row) + own) else { return false }
    }
    return true
  }
}

extension NormalEquations {
  /// Returns the variance of a linear function of the unknowns; infinite if the equations do not determine them.
  fileprivate func variance(of row: SIMD8<Double>) -> Double {
    Matrix8(rows: rows).solve(row).map { ($0 * row).sum() } ?? .infinity
  }
}
