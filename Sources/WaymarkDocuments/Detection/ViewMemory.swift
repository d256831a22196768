package import WaymarkGeometry
package import WaymarkImage

/// Remembers what the camera sees when no page is there and takes it away from later frames: what came into view is left, alone on an even
/// ground, whatever pattern the table has.
///
/// Luma of the remembered view is compared with that of a frame after both were brought to the same exposure. A camera that moves changes
/// everything; nothing is told until it rests again. To be used from one thread at a time.
package final class ViewMemory {
  /// A frame without what was there before.
  package struct Newcomers: Sendable {
    /// What is new as it is, all else of one gray that differs from it.
    package var image: GrayImage
    /// How many pixels of the frame a pixel of the picture stands for, in each direction.
    package var factor: Int
    /// The share of the picture that is new.
    package var share: Double
  }

  private let picture = WorkPicture()
  private let difference = PixelPlane()
  private let closed = PixelPlane()
  private let scratch = PixelPlane()
  /// Luma as remembered, negative where nothing is known; what is seen, slowly averaged, and for how many seconds without a change.
  private var known: [Float] = []
  private var recent: [Float] = []
  private var age: [Float] = []
  private var blurred: [Float] = []
  private var sums: [Float] = []
  private var gain: Float = 1
  private var share = 0.0
  private var learnt = -Double.infinity
  /// The share of the picture in which the frame that was compared last differs from those before it.
  public private(set) var stir = 0.0

  /// Differences of fewer gray levels are none, and of more always are one.
  private static let leastStep: Float = 4
  private static let surelyStep: Float = 16
  /// How many standard deviations of what noise makes of unchanged places are a difference.
  private static let deviations: Float = 4.5
  /// Seconds after which something new that rests is part of the view.
  private static let patience: Float = 4
  /// Seconds after which what is seen at a place of which nothing is known counts as known.
  private static let settling: Float = 0.25
  /// With a greater share of the picture changed, the camera or the light has.
  private static let mostChanged = 0.7
  /// With less, nothing has come.
  private static let leastChanged = 0.012
  /// A place that differs by more gray levels from what was seen there a moment ago has changed.
  private static let jump: Float = 12
  /// What marks and colours that happen to equal the table's tear into what is new is closed: pixels of the work picture.
  private static let closing = 5

  /// Nothing remembered.
  package init() {}

  /// Compares a frame with what is remembered.
  ///
  /// - Returns: nil where nothing came, or too much to tell.
  package func newcomers(in view: ImageView) -> Newcomers? {
    picture.load(view)
    let (w, h) = (picture.width, picture.height)
    guard w >= 24, h >= 24 else { return nil }
    guard known.count == w * h, difference.width == w else {
      reset(w, h)
      return nil
    }
    stir = stirred()
    gain = exposure()
    compare()
    Morphology.close(difference, radius: Self.closing, into: closed, scratch: scratch)
    open()
    return composed()
  }

  /// Takes in the frame that was compared last, `now` being when it was captured (seconds).
  ///
  /// - Parameter page: a page that is in view: it does not become part of the view.
  package func learn(at now: Double, page: Quadrilateral?) {
    let (w, h) = (picture.width, picture.height)
    guard known.count == w * h, w > 0 else { return }
    let passed = Float(min(max(now - learnt, 0), 0.5))
    learnt = now
    if share > Self.mostChanged { for i in known.indices { known[i] = -1 } }
    let covered = page.map { rows(of: $0, w, h) }
    let gain = max(gain, 0.01)
    let (seen, new) = (picture.planes[0].pixels, closed.pixels)
    known.withUnsafeMutableBufferPointer { known in
      recent.withUnsafeMutableBufferPointer { recent in
        age.withUnsafeMutableBufferPointer { age in
          for y in 0..<h {
            let kept = covered?[y] ?? 0..<0
            for x in 0..<w {
              let i = y &* w &+ x
              let value = Float(seen[i])
              let off = value - recent[i]
              let hasChanged = abs(off) > Self.jump
              recent[i] = hasChanged ? value : recent[i] + 0.15 * off
              age[i] = hasChanged || kept.contains(x) ? 0 : age[i] + passed
              if kept.contains(x) { continue }
              if known[i] < 0 {
                if age[i] >= Self.settling { known[i] = recent[i] / gain }
              } else if new[i] == 0 {
                known[i] += 0.06 * (value / gain - known[i])
              } else if age[i] >= Self.patience {
                known[i] = recent[i] / gain
              }
            }
          }
        }
      }
    }
  }

  /// Forgets what is remembered of a place: a page that was there when remembering began was taken away.
  package func forget(_ page: Quadrilateral) {
    let (w, h) = (picture.width, picture.height)
    guard known.count == w * h, w > 0 else { return }
    for (y, covered) in rows(of: page, w, h).enumerated() {
      for i in covered {
        known[y * w + i] = -1
        age[y * w + i] = 0
      }
    }
  }

  /// Whether a page has come since remembering began: true where that is not known.
  public func hasArrived(_ page: Quadrilateral) -> Bool {
    guard share <= Self.mostChanged else { return true }
    return (change(of: page)?.inside ?? 0) > 0.5
  }

  /// How much of a page's area, and how much of a rim around it, is new: 0…1 each; nil where that is not known.
  package func change(of page: Quadrilateral) -> (inside: Double, outside: Double)? {
    let (w, h) = (picture.width, picture.height)
    guard closed.width == w, known.count == w * h, share <= Self.mostChanged, share > 0, page.isFinite,
      let map = PageRectifier.unitMap(to: reduced(page))
    else { return nil }
    var (inside, outside) = ((hits: 0, count: 0), (hits: 0, count: 0))
    for v in -2...13 {
      for u in -2...13 {
        let p = map.apply(Point2((Double(u) + 0.5) / 12, (Double(v) + 0.5) / 12))
        guard p.x >= 0, p.y >= 0, p.x < Double(w), p.y < Double(h) else { continue }
        let isNew = closed.pixels[Int(p.y) &* w &+ Int(p.x)] > 0
        if (0..<12).contains(u), (0..<12).contains(v) {
          inside.count += 1
          if isNew { inside.hits += 1 }
        } else if u == -2 || v == -2 || u == 13 || v == 13 {
          outside.count += 1
          if isNew { outside.hits += 1 }
        }
      }
    }
    guard inside.count > 0 else { return nil }
    return (
      Double(inside.hits) / Double(inside.count), Double(outside.hits) / Double(max(1, outside.count))
    )
  }

  /// Whether the sides of an outline are edges of what is seen rather than of what is remembered: a page that was taken away leaves its
  /// outline in the difference as well.
  package func isThere(_ page: Quadrilateral) -> Bool {
    let (w, h) = (picture.width, picture.height)
    guard known.count == w * h, w > 0 else { return true }
    let c = reduced(page).corners
    let seen = picture.planes[0].pixels
    var (now, before): (Float, Float) = (0, 0)
    for side in 0..<4 {
      let (a, b) = (c[side], c[(side + 1) % 4])
      let along = (b - a) / max(a.distance(to: b), 1e-9)
      let inward = Point2(-along.y, along.x) * 3.5
      for step in 1..<20 {
        let p = a + (b - a) * (Double(step) / 20)
        let places = [p + inward, p - inward].compactMap { p -> Int? in
          guard p.x >= 0, p.y >= 0, p.x < Double(w), p.y < Double(h) else { return nil }
          return Int(p.y) &* w &+ Int(p.x)
        }
        guard places.count == 2, known[places[0]] >= 0, known[places[1]] >= 0 else { continue }
        now += min(40, abs(Float(seen[places[0]]) - Float(seen[places[1]])))
        before += min(40, gain * abs(known[places[0]] - known[places[1]]))
      }
    }
    return now > before
  }

  // MARK: Comparing

  private func reset(_ w: Int, _ h: Int) {
    known = (0..<(w * h)).map { Float(picture.planes[0].pixels[$0]) }
    recent = known
    age = [Float](repeating: 0, count: w * h)
    blurred = age
    sums = age
    difference.resize(w, h)
    closed.resize(w, h)
    closed.pixels.update(repeating: 0, count: w * h)
    gain = 1
    share = 0
    stir = 1
  }

  /// The standard deviation of noise in differences, of which there are so many of each tenth of a gray level: what three tenths stay below is
  /// noise, whatever came.
  private static func noise(_ histogram: [Int]) -> Float {
    var rest = histogram.reduce(0, +) * 3 / 10
    let level = histogram.firstIndex { count in
      rest -= count
      return rest <= 0
    }
    return (Float(level ?? 0) + 0.5) / 10 / 0.385
  }

  /// By what all that is remembered must be multiplied: the commonest ratio of what is seen to it.
  private func exposure() -> Float {
    let seen = picture.planes[0].pixels
    var histogram = [Int](repeating: 0, count: 202)
    for i in stride(from: 0, to: known.count, by: 3) where known[i] >= 12 && seen[i] < 250 {
      let bin = Int(Float(seen[i]) / known[i] * 100)
      if (1..<201).contains(bin) { histogram[bin] += 1 }
    }
    var best = (bin: 100, count: 0)
    for bin in 40..<199 {
      let count = histogram[bin - 2] + histogram[bin - 1] + histogram[bin] + histogram[bin + 1] + histogram[bin + 2]
      // Nearly as it was before, where nothing tells.
      if count > best.count { best = (bin, count) }
    }
    guard best.count > known.count / 30 else { return 1 }
    var (sum, count) = (0, 0)
    for bin in (best.bin - 2)...(best.bin + 2) {
      sum += bin * histogram[bin]
      count += histogram[bin]
    }
    return (Float(sum) / Float(max(1, count)) + 0.5) / 100
  }

  private func stirred() -> Double {
    let (seen, count) = (picture.planes[0].pixels, recent.count)
    let changed = recent.withUnsafeBufferPointer { recent in
      var changed = 0
      for i in stride(from: 0, to: count, by: 3) where abs(Float(seen[i]) - recent[i]) > Self.jump { changed += 1 }
      return changed
    }
    return Double(changed) / Double(max(1, count / 3))
  }

  /// `difference`: 255 where what is seen differs from what is remembered, on the mean of 3 × 3 pixels; else 0.
  private func compare() {
    let (w, h) = (picture.width, picture.height)
    let seen = picture.planes[0].pixels
    let gain = gain
    known.withUnsafeBufferPointer { known in
      sums.withUnsafeMutableBufferPointer { sums in
        blurred.withUnsafeMutableBufferPointer { blurred in
          for i in 0..<(w * h) { sums[i] = known[i] < 0 ? 0 : Float(seen[i]) - gain * known[i] }
          for y in 0..<h {
            let row = y &* w
            blurred[row] = sums[row]
            blurred[row + w - 1] = sums[row + w - 1]
            for x in (row + 1)..<(row + w - 1) { blurred[x] = (sums[x - 1] + sums[x] + sums[x + 1]) / 3 }
          }
          for y in 0..<h {
            let row = y &* w
            let (above, below) = (y > 0 ? row - w : row, y < h - 1 ? row + w : row)
            for x in 0..<w { sums[row + x] = abs(blurred[above + x] + blurred[row + x] + blurred[below + x]) / 3 }
          }
        }
      }
    }
    var histogram = [Int](repeating: 0, count: 401)
    for i in stride(from: 0, to: sums.count, by: 2) { histogram[Int(min(400, sums[i] * 10))] += 1 }
    let threshold = min(max(Self.leastStep, Self.deviations * Self.noise(histogram)), Self.surelyStep)
    let out = difference.pixels
    for i in 0..<(w * h) { out[i] = sums[i] > threshold ? 255 : 0 }
  }

  /// Takes off what is narrower than a few pixels: noise.
  private func open() {
    let count = closed.width * closed.height
    for i in 0..<count { closed.pixels[i] = ~closed.pixels[i] }
    Morphology.close(closed, radius: 2, into: difference, scratch: scratch)
    for i in 0..<count { closed.pixels[i] = ~difference.pixels[i] }
  }

  /// What is new on an even ground.
  private func composed() -> Newcomers? {
    let (w, h) = (picture.width, picture.height)
    let seen = picture.planes[0].pixels
    var histogram = [Int](repeating: 0, count: 256)
    var count = 0
    for i in 0..<(w * h) where closed.pixels[i] > 0 {
      histogram[Int(seen[i])] += 1
      count += 1
    }
    share = Double(count) / Double(w * h)
    guard share >= Self.leastChanged, share <= Self.mostChanged else { return nil }
    var rest = count / 2
    let middle = histogram.firstIndex { count in
      rest -= count
      return rest <= 0
    }
    let paper = middle ?? 128
    let ground = UInt8(paper >= 70 ? paper * 2 / 5 : paper + 70)
    soften()
    let image = GrayImage(width: w, height: h) { out in
      for i in 0..<(w * h) {
        let part = Int32(difference.pixels[i])
        out[i] = UInt8(truncatingIfNeeded: (part &* Int32(seen[i]) &+ (255 &- part) &* Int32(ground)) / 255)
      }
    }
    return Newcomers(image: image, factor: picture.factor, share: share)
  }

  /// `difference`: the mean of `closed` over 5 × 5 pixels, so that noise does not fray outlines.
  private func soften() {
    let (w, h) = (closed.width, closed.height)
    difference.pixels.update(from: closed.pixels, count: w * h)
    guard w > 5, h > 5 else { return }
    let (from, sideways, out) = (closed.pixels, scratch.pixels, difference.pixels)
    sideways.update(from: from, count: w * h)
    for y in 0..<h {
      let row = y &* w
      for x in (row + 2)..<(row + w - 2) {
        let sum =
          UInt16(from[x - 2]) + UInt16(from[x - 1]) + UInt16(from[x]) + UInt16(from[x + 1]) + UInt16(from[x + 2])
        sideways[x] = UInt8(truncatingIfNeeded: sum / 5)
      }
    }
    for y in 2..<(h - 2) {
      for x in (y &* w)..<(y &* w &+ w) {
        let sum = UInt16(sideways[x - 2 * w]) + UInt16(sideways[x - w]) + UInt16(sideways[x])
        out[x] = UInt8(truncatingIfNeeded: (sum + UInt16(sideways[x + w]) + UInt16(sideways[x + 2 * w])) / 5)
      }
    }
  }

  // MARK: Places

  private func reduced(_ q: Quadrilateral) -> Quadrilateral {
    let c = q.corners.map { ($0 + 0.5) / Double(picture.factor) - 0.5 }
    return Quadrilateral(topLeft: c[0], topRight: c[1], bottomRight: c[2], bottomLeft: c[3])
  }

  /// Which pixels of each row lie in a page and a rim of four pixels around it.
  private func rows(of page: Quadrilateral, _ w: Int, _ h: Int) -> [Range<Int>] {
    guard page.isFinite, page.isConvex else { return [Range<Int>](repeating: 0..<0, count: h) }
    let c = reduced(page).corners
    return (0..<h).map { y in
      var (left, right) = (0.0, Double(w))
      for side in 0..<4 {
        let along = (c[(side + 1) % 4] - c[side]) / max(c[side].distance(to: c[(side + 1) % 4]), 1e-9)
        let inward = Point2(-along.y, along.x)
        // Inside: inward · (x, y) > offset.
        let offset = inward.dot(c[side]) - 4 - inward.y * Double(y)
        if abs(inward.x) < 1e-9 {
          if offset >= 0 { return 0..<0 }
        } else if inward.x > 0 {
          left = max(left, offset / inward.x)
        } else {
          right = min(right, offset / inward.x)
        }
      }
      let from = Int(min(max(left.rounded(.up), 0), Double(w)))
      return from..<max(from, Int(min(max(right, 0), Double(w))))
    }
  }
}
