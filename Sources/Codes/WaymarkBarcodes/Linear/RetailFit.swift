import WaymarkImage

/// Reads an EAN-13 or UPC-A from bars that are too blurred, or too coarse, for their edges: by where and how the model of a
/// symbol fits lines across them best.
///
/// The best fit alone proves nothing: chance fits something to every texture. The best code must be ahead of every
/// other one with a right check digit by a log-likelihood ratio that grows with how much was tried.
struct RetailFit {
  /// A code that fits, and how well.
  struct Result {
    /// Thirteen digits as characters.
    let digits: [UInt8]
    /// Where its bars begin and end, in pixels of the strip.
    let span: ClosedRange<Double>
    let isUpsideDown: Bool
    /// By how much it is more likely than the next code, as a natural logarithm.
    let lead: Double
    /// How many parts of the height of the bars show it by themselves.
    let bands: Int
  }

  /// A place of the model on a line.
  private struct Pose {
    var begin: Double
    var module: Double
    /// How far the middle is shifted, in modules a fourth of the width: labels on bottles.
    var bend: Double
    var model: Int
    var cost: Float
  }

  /// The samples of a line at its best pose.
  private struct Fit {
    var pose: Pose
    var isUpsideDown: Bool
    var costs: RetailCosts
    var residual: Float
  }

  private let strip: GrayImage
  private let span: ClosedRange<Double>
  private(set) var tried = 0

  /// - Parameters:
  ///   - strip: bars that stand upright, every band twice.
  ///   - span: about where they begin and end, in columns.
  init(_ strip: GrayImage, span: ClosedRange<Double>) {
    self.strip = strip
    self.span = span
  }

  /// The code that fits, believable or not; `nil` where nothing resembles one.
  mutating func read() -> Result? {
    let module = (span.upperBound - span.lowerBound) / Double(RetailModel.modules)
    guard module >= 1, strip.height >= 6 else { return nil }
    let bands = strip.height / 2
    // The middle first: what shows nothing there is given up.
    let thirds = [bands / 3..<(2 * bands / 3), 0..<(bands / 3), (2 * bands / 3)..<bands]
    var fits: [Fit] = []
    for rows in thirds where !rows.isEmpty {
      guard let fit = fit(rows, module: module, beside: fits.first) else {
        if fits.isEmpty { return nil }
        continue
      }
      if fits.isEmpty, fit.residual > Self.hopeless { return nil }
      fits.append(fit)
    }
    return decide(fits)
  }

  /// The mean square that is left where no EAN-13 is.
  private static let hopeless: Float = 0.08

  /// The mean square that is left of the likeliest poses where no other one can fit.
  private static let worst: Float = 0.14

  /// Samples beside each other tell nearly the same: so many count as one.
  private static let dependence = 3.0

  private func decide(_ fits: [Fit]) -> Result? {
    guard let clearest = fits.min(by: { $0.residual < $1.residual }) else { return nil }
    var sum = RetailCosts.none
    let own = fits.filter { $0.isUpsideDown == clearest.isUpsideDown }
    for fit in own { sum.add(fit.costs, weight: 1 / max(fit.residual, 0.01)) }
    guard let (first, second) = sum.best() else { return nil }
    let agreeing = own.filter { $0.costs.best()?.first.digits == first.digits }
    let pose = clearest.pose
    let begin = clearest.isUpsideDown ? Double(strip.width) - 1 - pose.begin - 95 * pose.module : pose.begin
    // Bands of one print share its faults: their evidence adds up as one and a half of them.
    let scale = 1 / (2 * Self.dependence * max(1, Double(own.count) / 1.5))
    return Result(
      digits: first.digits.map { $0 + 0x30 }, span: begin...(begin + 95 * pose.module),
      isUpsideDown: clearest.isUpsideDown, lead: Double(second.cost - first.cost) * scale, bands: agreeing.count)
  }

  // MARK: Where the model lies

  /// How many modules to either side tell light from dark: few under a shadow, many where bars melt.
  private static let reaches = [10.0, 22]
  /// How often levels are fitted to the best code, and the code to the levels.
  private static let rounds = 3

  /// - Parameter known: where the model lies in other bands: in these it lies about there.
  private mutating func fit(_ bands: Range<Int>, module: Double, beside known: Fit?) -> Fit? {
    var starts: [(pose: Pose, line: RetailLine, isUpsideDown: Bool)] = []
    for reach in Self.reaches {
      let upright = RetailLine(strip, bands: bands, module: module, reach: reach)
      guard upright.looksLikeBars else { continue }
      for isUpsideDown in [false, true] where isUpsideDown == known?.isUpsideDown ?? isUpsideDown {
        let line = isUpsideDown ? upright.reversed : upright
        let last = Double(strip.width) - 1
        let seen = isUpsideDown ? (last - span.upperBound)...(last - span.lowerBound) : span
        let place = known.map { $0.pose.begin...($0.pose.begin + Double(RetailModel.modules) * $0.pose.module) }
        for pose in coarse(line, about: place ?? seen, within: place == nil ? 8 : 3, module) {
          starts.append((refined(pose, line, step: 0.5), line, isUpsideDown))
        }
      }
    }
    var best: Fit?
    for start in starts.sorted(by: { $0.pose.cost < $1.pose.cost }).prefix(6) {
      guard let fit = levelled(start.pose, start.line, start.isUpsideDown) else { continue }
      if fit.residual < best?.residual ?? .infinity { best = fit }
      if let best, best.residual > Self.worst { break }
    }
    return best
  }

  /// A pose made exact, with levels and code fitted in turns.
  private mutating func levelled(_ start: Pose, _ line: RetailLine, _ isUpsideDown: Bool) -> Fit? {
    var (pose, line) = (refined(start, line, step: 0.25), line)
    var best: Fit?
    for round in 0...Self.rounds {
      let costs = line.costs(pose.begin, pose.module, pose.bend, RetailModel.all[pose.model])
      guard let code = costs.best()?.first else { return best }
      let residual = (code.cost + costs.guards) / Float(RetailModel.samples)
      if residual < best?.residual ?? .infinity {
        best = Fit(pose: pose, isUpsideDown: isUpsideDown, costs: costs, residual: residual)
      } else if round > 1 {
        break
      }
      guard round < Self.rounds,
        let other = line.levelled(
          pose.begin, pose.module, pose.bend, as: RetailModel.all[pose.model].samples(of: code.digits))
      else { break }
      line = other
      pose.cost = .infinity
      pose = refined(pose, line, step: round == 0 ? 0.25 : 0.12)
    }
    return best
  }

  /// The best poses over a few modules to either side of both ends.
  private mutating func coarse(
    _ line: RetailLine, about place: ClosedRange<Double>, within reach: Int, _ module: Double
  ) -> [Pose] {
    // The best first.
    var poses: [Pose] = []
    poses.reserveCapacity(Self.kept + 1)
    for left in -reach...reach {
      for right in -reach...reach {
        let begin = place.lowerBound + Double(left) * module
        let own = (place.upperBound + Double(right) * module - begin) / Double(RetailModel.modules)
        let samples = line.samples(begin, own, 0)
        for model in stride(from: 1, to: RetailModel.all.count, by: 2) {
          tried += 1
          let worst = poses.count < Self.kept ? Self.farthest : poses[Self.kept - 1].cost
          let cost = RetailLine.cost(samples, RetailModel.all[model], below: worst)
          guard cost < worst else { continue }
          if poses.count == Self.kept { poses.removeLast() }
          poses.insert(
            Pose(begin: begin, module: own, bend: 0, model: model, cost: cost),
            at: poses.lastIndex { $0.cost <= cost }.map { $0 + 1 } ?? 0)
        }
      }
    }
    // Neighbours of the best one are refined into the same.
    var distinct: [Pose] = []
    for pose in poses where distinct.count < 3 {
      let isNear = distinct.contains { abs($0.begin - pose.begin) + 95 * abs($0.module - pose.module) < 0.8 * module }
      if !isNear { distinct.append(pose) }
    }
    return distinct
  }

  /// The sum of squares beyond which a pose shows no EAN-13: half as much again as the farthest of those that can be read.
  private static let farthest: Float = 45

  /// So many poses are compared by where they lie.
  private static let kept = 40

  private mutating func refined(_ start: Pose, _ line: RetailLine, step: Double) -> Pose {
    var best = start
    for bend in step < 0.5 ? [-1, 0, 1] : [-2, -1, 0, 1, 2] {
      for left in -1...1 {
        for right in -1...1 {
          let begin = start.begin + Double(left) * step * start.module
          let module = start.module + Double(right - left) * step * start.module / Double(RetailModel.modules)
          let bend = start.bend + Double(bend) * step
          let samples = line.samples(begin, module, bend)
          for model in max(0, start.model - 1)...min(RetailModel.all.count - 1, start.model + 1) {
            tried += 1
            let cost = RetailLine.cost(samples, RetailModel.all[model], below: best.cost)
            if cost < best.cost { best = Pose(begin: begin, module: module, bend: bend, model: model, cost: cost) }
          }
        }
      }
    }
    return best
  }
}
