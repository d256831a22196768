import WaymarkImage

/// A row of bars of equal pitch that extend to different lengths on both sides of a common band. A tracker bar is as high as this
/// band. A position is `s` pixels along the row and `t` across it.
struct FourStateRow {
  private let view: ImageView
  private let along: Point2
  private let across: Point2
  /// The middle of the band: `t = offset + slope * s`, and half its height.
  private var (offset, slope, half) = (0.0, 0.0, 1.0)
  /// The slant of the bars: pixels along the row for each pixel across it.
  private let lean: Double
  /// The bars: their positions along the middle of the band, from left to right.
  private(set) var places: [Double]
  /// The difference between the median tones of spaces and bars, and the median tone of bars, in gray levels.
  private var (contrast, tone) = (0.0, 0.0)
  /// The median over the bars of the lightest tone above and below.
  private var light = 255.0

  /// The largest number of bars.
  static let most = 100
  /// The largest extent of a bar from the middle of the band, in pitches.
  private static let reach = 3.2

  /// Extends a row from a few of its bars; `nil` if they do not form one.
  ///
  /// - Parameter seed: neighbouring bars of the row, in order.
  init?(_ view: ImageView, _ ridges: BarRidges, seed: [BarRidges.Ridge]) {
    (self.view, along, across) = (view, ridges.along, ridges.across)
    let spread: Double = seed.reduce(0) { $0 + $1.spread }
    let lean: Double = seed.reduce(0) { $0 + $1.lean }
    self.lean = spread > 0 ? max(-0.7, min(0.7, lean / spread)) : 0
    places = seed.map(\.s)
    guard fitBand(seed.map { ($0.t.lowerBound, $0.t.upperBound) }) else { return nil }
    // Moves the positions from the middles of the ridges, about which leaning bars turn, to the middle of the band.
    places = seed.map { ridge in
      let across = offset + slope * ridge.s - ridge.middle
      return ridge.s + self.lean * across
    }
    guard zip(places, places.dropFirst()).allSatisfy({ $0 < $1 }), measureTones() else { return nil }
    for _ in 0..<10 {
      let known = places.count
      extend(by: known / 2 + 2)
      places.reverse()
      extend(by: known / 2 + 2)
      places.reverse()
      guard places.count <= Self.most, fitToEdges(), measureTones() else { return nil }
      if places.count == known { break }
    }
  }

  /// The mean distance of the bars in pixels, along `s`.
  var pitch: Double { (places[places.count - 1] - places[0]) / Double(max(1, places.count - 1)) }

  /// Returns the point on a bar at position `s`, `w` pixels in `t` from the middle of the band.
  private func point(_ s: Double, _ w: Double) -> Point2 {
    along * (s + lean * w) + across * (offset + slope * s + w)
  }

  private func tone(_ s: Double, _ w: Double) -> Double { view.bilinear(point(s, w)) }

  /// Returns the mean tone at position `s` over the height of the band.
  private func band(_ s: Double) -> Double {
    var sum = 0.0
    for step in -2...2 { sum += tone(s, Double(step) * 0.3 * half) }
    return sum / 5
  }

  /// Fits the band that all bars cross, from the extents of the bars in `t`; returns false if there is no such band.
  private mutating func fitBand(_ extents: [(low: Double, high: Double)]) -> Bool {
    let n = Double(extents.count)
    // The middles of the bars follow the band roughly, as bars reach as often above it as below.
    let middles: [Double] = extents.map { ($0.low + $0.high) / 2 }
    let s: Double = places.reduce(0, +) / n
    let t: Double = middles.reduce(0, +) / n
    var (square, product) = (0.0, 0.0)
    for (place, middle) in zip(places, middles) {
      square += (place - s) * (place - s)
      product += (place - s) * (middle - t)
    }
    let trend = product / max(1, square)
    let reach = 6 / (n * n.squareRoot())
    var best = Double.infinity
    for step in -24...24 {
      let slope = trend + reach * Double(step) / 24
      let low = Split(places.indices.map { extents[$0].low - slope * places[$0] })
      let high = Split(places.indices.map { extents[$0].high - slope * places[$0] })
      let error = low.error + high.error
      guard error < best, high.low + 1 > low.high else { continue }
      best = error
      self.slope = slope
      offset = (low.high + high.low) / 2
      half = max(1, (high.low - low.high + 1) / 2)
    }
    return best < .infinity && abs(slope) < 0.7
  }

  /// The means of low and of high values. The values are divided so that the sum of squared differences from these two means is
  /// least; the outermost values are left out.
  private struct Split {
    private(set) var (low, high, error) = (0.0, 0.0, Double.infinity)

    init(_ values: [Double]) {
      let trim = values.count / 24
      let values = values.sorted().dropFirst(trim).dropLast(trim)
      let all: Double = values.reduce(0, +)
      var (count, sum) = (0.0, 0.0)
      let squares: Double = values.reduce(0) { $0 + $1 * $1 }
      let total = Double(values.count)
      for value in values.dropLast() {
        count += 1
        sum += value
        let rest = all - sum
        let error = squares - sum * sum / count - rest * rest / (total - count)
        if error < self.error { (self.low, high, self.error) = (sum / count, rest / (total - count), error) }
      }
    }
  }

  /// Measures the tones of bars, spaces and ground; returns false if they differ too little.
  private mutating func measureTones() -> Bool {
    let pitch = pitch
    let middles = zip(places, places.dropFirst()).map { ($0 + $1) / 2 }
    let bars = places.map { band($0) }
    let spaces = middles.map { band($0) }
    tone = bars.sorted()[bars.count / 2]
    contrast = spaces.sorted()[spaces.count / 2] - tone
    let lights: [Double] = places.map { place in
      var most = 0.0
      for step in -16...16 { most = max(most, tone(place, Double(step) / 16 * Self.reach * pitch)) }
      return most
    }
    light = lights.sorted()[lights.count / 2]
    return contrast >= 2 && light - tone >= 12
  }

  /// Appends bars beyond the last one, in the direction from the first to the last.
  private mutating func extend(by count: Int) {
    for _ in 0..<count where places.count <= Self.most {
      let last = places[places.count - 1]
      let back = min(6, places.count - 1)
      let pitch = (last - places[places.count - 1 - back]) / Double(back)
      let step = pitch / 10
      let tones = (2...20).map { band(last + Double($0) * step) }
      // Finds the darkest position within 0.3 pitches of the expected one.
      guard let darkest = (5...11).min(by: { tones[$0] < tones[$1] }) else { return }
      let before = tones[max(0, darkest - 6)...(darkest - 2)].max() ?? 0
      let after = tones[(darkest + 2)...min(18, darkest + 6)].max() ?? 0
      let (least, mean) = (min(before, after) - tones[darkest], (before + after) / 2 - tones[darkest])
      guard least > 0.05 * contrast, mean > 0.25 * contrast, tones[darkest] < (tone + light) / 2 else { return }
      let (a, b, c) = (tones[darkest - 1], tones[darkest], tones[darkest + 1])
      let bend = a + c - 2 * b
      let shift = bend > 0 ? max(-0.5, min(0.5, 0.5 * (a - c) / bend)) : 0
      places.append(last + (Double(darkest + 2) + shift) * step)
    }
  }

  /// Returns the extents of each bar from the middle of the band, up and down, in pixels.
  private func edges() -> [(up: Double, down: Double)] {
    let (pitch, step) = (abs(pitch), abs(pitch) / 12)
    return places.map { place in
      func tone(_ w: Double) -> Double {
        (self.tone(place - 0.12 * pitch, w) + self.tone(place, w) + self.tone(place + 0.12 * pitch, w)) / 3
      }
      let level = (band(place) + light) / 2
      func edge(_ sign: Double) -> Double {
        var (w, before) = (0.0, tone(0))
        while w < Self.reach * pitch {
          let after = tone(sign * (w + step))
          if after >= level { return w + step * max(0, min(1, (level - before) / max(1, after - before))) }
          (w, before) = (w + step, after)
        }
        return w
      }
      return (edge(-1), edge(1))
    }
  }

  private mutating func fitToEdges() -> Bool {
    let edges = edges()
    return fitBand(
      zip(edges, places).map { edge, place in
        let middle = offset + slope * place
        return (middle - edge.up, middle + edge.down)
      })
  }

  /// Returns the bars with their states, and the outline of the row; `nil` unless at least 24 bars have an equal pitch and two lengths to
  /// each side, at most one end for every eight bars is doubtful, and there is light beside the first and the last.
  func sampled() -> (bars: FourStateBars, corners: Quadrilateral)? {
    guard places.count >= 24, let fitted = smoothed() else { return nil }
    let pitches: [Double] = places.indices.map { i in
      let (before, after) = (max(0, i - 1), min(places.count - 1, i + 1))
      return (fitted[after] - fitted[before]) / Double(after - before)
    }
    var error = 0.0
    for (place, fit) in zip(places, fitted) { error += (place - fit) * (place - fit) / Double(places.count) }
    guard pitches.allSatisfy({ $0 > 0 }), error.squareRoot() < 0.13 * pitch else { return nil }
    for (end, beside) in [(places[0], -pitch), (places[places.count - 1], pitch)] {
      let place = point(end + 1.2 * beside, 0)
      guard place.x >= 0, place.y >= 0, place.x <= Double(view.width - 1), place.y <= Double(view.height - 1),
        [0.8, 1.0, 1.2].allSatisfy({ band(end + $0 * beside) > (tone + light) / 2 })
      else { return nil }
    }
    let edges = edges()
    let ups = zip(edges, pitches).map { $0.up / $1 }
    let downs = zip(edges, pitches).map { $0.down / $1 }
    guard let up = Lengths(ups), let down = Lengths(downs), up.gap < 1.7 * down.gap, down.gap < 1.7 * up.gap else {
      return nil
    }
    let states: [Int] = ups.indices.map { i in
      let ascends = ups[i] > up.middle
      let descends = downs[i] > down.middle
      return (ascends ? 2 : 0) | (descends ? 1 : 0)
    }
    var bars = FourStateBars(states: states)
    var open: [(doubt: FourStateBars.Doubt, margin: Double)] = []
    for i in ups.indices {
      open.append((FourStateBars.Doubt(bar: i, bit: 2), up.margin(ups[i])))
      open.append((FourStateBars.Doubt(bar: i, bit: 1), down.margin(downs[i])))
    }
    open.removeAll { $0.margin >= 0.4 }
    guard open.count * 8 <= places.count else { return nil }
    bars.doubts = open.sorted { $0.margin < $1.margin }.map(\.doubt)
    let last = places.count - 1
    func corner(_ i: Int, _ side: Double, _ length: Double) -> Point2 {
      point(fitted[i] + side * pitches[i], length * pitches[i])
    }
    return (
      bars,
      Quadrilateral(
        topLeft: corner(0, -0.25, -up.long), topRight: corner(last, 0.25, -up.long),
        bottomRight: corner(last, 0.25, down.long), bottomLeft: corner(0, -0.25, down.long))
    )
  }

  /// Returns the positions fitted by a quadratic function of their indices, which approximates an equal pitch in perspective.
  private func smoothed() -> [Double]? {
    let n = Double(places.count)
    // Uses polynomials that are orthogonal over the indices.
    let xs: [Double] = places.indices.map { Double($0) - (n - 1) / 2 }
    let squares = (n * n - 1) / 12
    var (mean, first, second) = (0.0, 0.0, 0.0)
    var (norm1, norm2) = (0.0, 0.0)
    for (x, place) in zip(xs, places) {
      let q = x * x - squares
      (mean, first, second) = (mean + place / n, first + x * place, second + q * place)
      (norm1, norm2) = (norm1 + x * x, norm2 + q * q)
    }
    guard norm1 > 0, norm2 > 0 else { return nil }
    let (slope, bend) = (first / norm1, second / norm2)
    return xs.map { x in mean + slope * x + bend * (x * x - squares) }
  }

  /// Two lengths of bars, in pitches.
  private struct Lengths {
    private(set) var (short, long) = (0.0, 0.0)

    var gap: Double { long - short }
    var middle: Double { (short + long) / 2 }

    /// Finds the two means; `nil` unless they are apart.
    init?(_ lengths: [Double]) {
      guard let least = lengths.min(), let most = lengths.max() else { return nil }
      (short, long) = (least, most)
      for _ in 0..<8 {
        let (low, high) = (lengths.filter { $0 <= middle }, lengths.filter { $0 > middle })
        guard !low.isEmpty, !high.isEmpty else { return nil }
        (short, long) = (low.reduce(0, +) / Double(low.count), high.reduce(0, +) / Double(high.count))
      }
      guard gap > 0.45, short > 0.15, long > 1.7 * short else { return nil }
    }

    /// Returns the certainty of a length: its distance from the middle between both lengths, as a share of half their difference. 0
    /// is undecided, 1 or more clear.
    func margin(_ length: Double) -> Double { abs(length - middle) / (gap / 2) }
  }
}
