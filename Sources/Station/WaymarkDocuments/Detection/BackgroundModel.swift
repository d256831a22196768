package import WaymarkImage

/// A background model: it stores the view without a page and subtracts it from later frames, so that only new objects remain,
/// on a uniform background.
///
/// The luma of the model is compared with the luma of a frame after both were brought to the same exposure. A moving camera changes
/// everything, so there is no foreground until it rests again. Use it from one thread at a time.
package final class BackgroundModel {
  package struct Foreground: Sendable {
    /// The foreground on a uniform gray that differs from it.
    package var image: GrayImage
    /// The number of frame pixels per pixel of the picture in each direction.
    package var factor: Int
    /// The share of the picture in the foreground.
    package var share: Double
  }

  private let picture = WorkingPicture()
  private let difference = BackgroundDifference()
  private let silhouette = Silhouette()
  /// The luma of the background, negative where unknown.
  private var known: [Float] = []
  /// An exponential average of the frames' luma, which starts again where a pixel changes.
  private var recent: [Float] = []
  /// The seconds without a change at each pixel.
  private var age: [Float] = []
  private var lastLearned = -Double.infinity
  /// The time in seconds since which the change is larger than a page explains; `nil` if it is not.
  private var sceneChangedAt: Double?
  /// The share of the picture in which the last compared frame differs from earlier frames.
  package private(set) var changedFraction = 0.0

  /// The time in seconds after which a new object at rest becomes part of the model.
  private static let absorbDelay: Float = 4
  /// The time in seconds after which an unknown pixel without a change becomes known.
  private static let settling: Float = 0.25
  /// The delay in seconds until the model is discarded while more has changed than a page explains.
  private static let resetDelay = 0.5
  /// The number of gray levels by which the mean step across a side may be smaller in the frame than in the model, as noise may
  /// cause.
  private static let noise: Float = 1.5
  /// The difference in gray levels from the recent average above which a pixel has changed.
  private static let jump: Float = 12

  package init() {}

  /// Compares a frame with the model.
  ///
  /// - Returns: The foreground; `nil` without one, or if too much changed.
  package func foreground(in view: ImageView) -> Foreground? {
    picture.load(view)
    let (w, h) = (picture.width, picture.height)
    guard w >= 24, h >= 24 else { return nil }
    guard known.count == w * h, difference.width == w else {
      reset(w, h)
      return nil
    }
    changedFraction = measureChangedFraction()
    difference.update(picture.planes[0].pixels, known: known)
    return difference.composed(picture.planes[0].pixels).map {
      Foreground(image: $0, factor: picture.factor, share: difference.share)
    }
  }

  /// Updates the model with the last compared frame, captured at `now` seconds.
  ///
  /// - Parameter page: A page in view, which does not become part of the model.
  package func learn(at now: Double, page: Quadrilateral?) {
    let (w, h) = (picture.width, picture.height)
    guard known.count == w * h, w > 0 else { return }
    let passed = Float(min(max(now - lastLearned, 0), 0.5))
    lastLearned = now
    if !difference.isSceneChange || page.map(accountsFor) ?? false { sceneChangedAt = nil }
    if difference.isSceneChange {
      let since = sceneChangedAt ?? now
      sceneChangedAt = since
      if now - since >= Self.resetDelay || now < since { for i in known.indices { known[i] = -1 } }
    }
    let covered = page.map { rows(of: $0, w, h) }
    let gain = max(difference.gain, 0.01)
    let (seen, new) = (picture.planes[0].pixels, difference.changed.pixels)
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
              } else if age[i] >= Self.absorbDelay {
                known[i] = recent[i] / gain
              }
            }
          }
        }
      }
    }
  }

  /// Discards the model in the area of a page that was part of the model and has been removed.
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

  /// Returns whether more than half of a page is foreground or, after a change of the scene, whether the page explains it.
  package func isNewInView(_ page: Quadrilateral) -> Bool {
    difference.isSceneChange ? accountsFor(page) : (change(of: page)?.inside ?? 0) > 0.5
  }

  /// Returns whether a page explains the foreground, however large: at least 85 % of the page and at most 20 % of the rest have
  /// changed.
  private func accountsFor(_ page: Quadrilateral) -> Bool {
    let (w, h) = (picture.width, picture.height)
    guard known.count == w * h, difference.width == w, w > 0 else { return false }
    var (inside, outside) = ((new: 0, count: 0), (new: 0, count: 0))
    for (y, covered) in rows(of: page, w, h).enumerated() {
      for x in stride(from: 0, to: w, by: 2) {
        let isNew = difference.changed.pixels[y &* w &+ x] > 0 ? 1 : 0
        if covered.contains(x) {
          inside = (inside.new + isNew, inside.count + 1)
        } else {
          outside = (outside.new + isNew, outside.count + 1)
        }
      }
    }
    return inside.new * 20 >= inside.count * 17 && outside.new * 5 <= outside.count
  }

  /// Returns the shares of a page's area and of a rim around it that are foreground, 0…1 each; `nil` if unknown.
  package func change(of page: Quadrilateral) -> (inside: Double, outside: Double)? {
    let (w, h) = (picture.width, picture.height)
    guard difference.width == w, known.count == w * h, !difference.isSceneChange, difference.share > 0, page.isFinite,
      let map = Homography(unitSquareTo: reduced(page))
    else { return nil }
    var (inside, outside) = ((hits: 0, count: 0), (hits: 0, count: 0))
    for v in -2...13 {
      for u in -2...13 {
        let p = map.apply(Point2((Double(u) + 0.5) / 12, (Double(v) + 0.5) / 12))
        guard p.x >= 0, p.y >= 0, p.x < Double(w), p.y < Double(h) else { continue }
        let isNew = difference.changed.pixels[Int(p.y) &* w &+ Int(p.x)] > 0
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

  /// Returns the quadrilateral that fits the foreground best, in pixels of the last compared frame; `nil` without one.
  ///
  /// `fitScore` is 1 if the foreground has exactly the shape of the quadrilateral.
  package func sheet() -> (outline: Quadrilateral, fitScore: Double)? {
    guard known.count == picture.width * picture.height, difference.share > 0, !difference.isSceneChange,
      let fit = silhouette.quadrilateral(in: difference.changed)
    else { return nil }
    let outline = fit.corners
    return (outline.scaled(by: Double(picture.factor)).turned(by: outline.turnsToUpright), fit.fitScore)
  }

  /// Returns the fit score of an outline as in `sheet`; 0 if it does not fit, `nil` without a foreground or after a change
  /// of the scene.
  package func fitScore(of outline: Quadrilateral) -> Double? {
    guard known.count == picture.width * picture.height, difference.share > 0, !difference.isSceneChange else {
      return nil
    }
    return Silhouette.fit(of: reduced(outline), in: difference.changed)?.fitScore ?? 0
  }

  /// Returns whether an outline has edges in the frame rather than in the model. A test is needed because a removed page leaves its
  /// outline in the difference as well. Just inside and outside of a page the grays differ; on a table they are equal.
  ///
  /// - Parameter everySide: True if each side must have such an edge, except for noise. Where paper is as bright as a part of the
  ///   table, the foreground ends at that part, but the paper does not.
  package func isForeground(_ page: Quadrilateral, everySide: Bool = false) -> Bool {
    let (w, h) = (picture.width, picture.height)
    guard known.count == w * h, w > 0 else { return true }
    let c = reduced(page).corners
    let seen = picture.planes[0].pixels
    var (now, before): (Float, Float) = (0, 0)
    var isParted = true
    for side in 0..<4 {
      let (a, b) = (c[side], c[(side + 1) % 4])
      let along = (b - a) / max(a.distance(to: b), 1e-9)
      let inward = Point2(-along.y, along.x) * 3.5
      var places: [(inside: Int, outside: Int)] = []
      for step in 1..<20 {
        let p = a + (b - a) * (Double(step) / 20)
        let pair = [p + inward, p - inward].compactMap { p -> Int? in
          guard p.x >= 0, p.y >= 0, p.x < Double(w), p.y < Double(h) else { return nil }
          return Int(p.y) &* w &+ Int(p.x)
        }
        guard pair.count == 2, known[pair[0]] >= 0, known[pair[1]] >= 0 else { continue }
        places.append((pair[0], pair[1]))
      }
      let seenStep = Self.distance(places.map { Float(seen[$0.inside]) }, places.map { Float(seen[$0.outside]) })
      let knownStep = difference.gain * Self.distance(places.map { known[$0.inside] }, places.map { known[$0.outside] })
      isParted = isParted && seenStep + Self.noise * Float(places.count) >= knownStep
      now += seenStep
      before += knownStep
    }
    return now > before && (isParted || !everySide)
  }

  /// Returns whether the area between two outlines is the table, only darker: the shadow of a sheet that came into view with it.
  package func isShadow(between inner: Quadrilateral, and outer: Quadrilateral) -> Bool {
    let (w, h) = (picture.width, picture.height)
    guard known.count == w * h, w > 0 else { return false }
    let (small, large) = (reduced(inner), reduced(outer))
    guard large.isFinite else { return false }
    let bounds = large.bounds
    let (left, top) = (Int(max(0, bounds.min.x)), Int(max(0, bounds.min.y)))
    let columns = left..<max(left, Int(min(Double(w), bounds.max.x + 1)))
    let rows = top..<max(top, Int(min(Double(h), bounds.max.y + 1)))
    let seen = picture.planes[0].pixels
    var shares: [Float] = []
    for y in rows {
      for x in columns {
        let (i, p) = (y * w + x, Point2(Double(x), Double(y)))
        // The rim of the inner outline is blurred, so it is left out.
        guard known[i] > 0, large.contains(p, margin: 1), !small.contains(p, margin: -1.5) else { continue }
        shares.append(Float(seen[i]) / (difference.gain * known[i]))
      }
    }
    guard shares.count >= 24 else { return false }
    shares.sort()
    // Brightness decreases smoothly across a shadow, and the table's pattern is visible in it.
    return shares[shares.count * 9 / 10] < 1 && shares[shares.count / 2] < 0.95 && shares[shares.count / 10] > 0.3
  }

  /// Returns the Wasserstein distance of two sets of equal size: the sum of the differences of the sorted values.
  private static func distance(_ a: [Float], _ b: [Float]) -> Float {
    zip(a.sorted(), b.sorted()).reduce(0) { $0 + abs($1.0 - $1.1) }
  }

  private func reset(_ w: Int, _ h: Int) {
    known = (0..<(w * h)).map { Float(picture.planes[0].pixels[$0]) }
    recent = known
    age = [Float](repeating: 0, count: w * h)
    difference.reset(w, h)
    changedFraction = 1
  }

  private func measureChangedFraction() -> Double {
    let (seen, count) = (picture.planes[0].pixels, recent.count)
    let changed = recent.withUnsafeBufferPointer { recent in
      var changed = 0
      for i in stride(from: 0, to: count, by: 3) where abs(Float(seen[i]) - recent[i]) > Self.jump { changed += 1 }
      return changed
    }
    return Double(changed) / Double(max(1, count / 3))
  }

  // MARK: Pixels of a page

  private func reduced(_ q: Quadrilateral) -> Quadrilateral { q.scaled(by: 1 / Double(picture.factor)) }

  /// Returns the pixels of each row inside a page and a rim of four pixels around it.
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
