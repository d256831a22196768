import Glibc
import WaymarkImage

/// Reads an EAN-13 or UPC-A from bars that are too blurred or too coarse for edge detection, by fitting the model of a symbol to
/// lines across them. `RetailRescue` below applies it where libzbar reads nothing or is in doubt.
///
/// The best fit alone proves nothing, because some code fits any texture best. Its log-likelihood must exceed that of every other
/// code with a valid check digit by a lead that grows with the number of comparisons.
struct RetailFit {
  /// A code that fits, and the evidence for it.
  struct Result {
    /// Thirteen digits in ASCII.
    let digits: [UInt8]
    /// The columns of the strip at which its bars begin and end.
    let span: ClosedRange<Double>
    let isUpsideDown: Bool
    /// The log-likelihood ratio to the next best code (natural logarithm).
    let lead: Double
    /// The number of thirds of the bars' height that show the code independently.
    let bands: Int
  }

  /// A position of the model on a line.
  private struct Pose {
    var begin: Double
    var module: Double
    /// The shift of the middle in modules, for labels on curved surfaces such as bottles.
    var bend: Double
    var model: Int
    var cost: Float
  }

  /// The samples of a line at its best pose.
  private struct Fit {
    var pose: Pose
    var isUpsideDown: Bool
    var samples: [Float]
    var costs: RetailCosts
    var residual: Float

    var model: RetailModel { RetailModel.all[pose.model] }
    var weight: Float { 1 / max(residual, 0.01) }
  }

  private let strip: GrayImage
  private let span: ClosedRange<Double>
  /// The number of poses compared so far.
  private(set) var tried = 0

  /// - Parameters:
  ///   - strip: a picture with vertical bars, every band twice.
  ///   - span: the approximate columns at which the bars begin and end.
  init(_ strip: GrayImage, span: ClosedRange<Double>) {
    self.strip = strip
    self.span = span
  }

  /// Returns the code that fits best, accepted or not; `nil` if nothing resembles one.
  mutating func read() -> Result? {
    let module = (span.upperBound - span.lowerBound) / Double(RetailModel.modules)
    guard module >= 1, strip.height >= 6 else { return nil }
    let bands = strip.height / 2
    // The middle third first: if it shows no code, the bars are given up.
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

  /// The mean squared residual of a sample, in the levels of `RetailModel`, above which there is no EAN-13.
  private static let hopeless: Float = 0.08
  /// The mean squared residual of the best poses above which no other pose can fit.
  private static let worst: Float = 0.14
  /// The number of neighbouring samples that have the weight of one independent sample.
  private static let dependence = 3.0

  private func decide(_ fits: [Fit]) -> Result? {
    guard let clearest = fits.min(by: { $0.residual < $1.residual }) else { return nil }
    let own = fits.filter { $0.isUpsideDown == clearest.isUpsideDown }
    guard let (first, second, spoilt) = Self.candidates(own) else { return nil }
    let agreeing = own.filter {
      let costs = spoilt.isEmpty ? $0.costs : RetailLine.costs($0.samples, $0.model, without: spoilt)
      return costs.best()?.first.digits == first.digits
    }
    let pose = clearest.pose
    let begin = clearest.isUpsideDown ? Double(strip.width) - 1 - pose.begin - 95 * pose.module : pose.begin
    // Bands of one print have the same defects, so all bands together count for only one and a half times the evidence of an
    // average band.
    let scale = 1 / (2 * Self.dependence * max(1, Double(own.count) / 1.5))
    return Result(
      digits: first.digits.map { $0 + 0x30 }, span: begin...(begin + 95 * pose.module),
      isUpsideDown: clearest.isUpsideDown, lead: Double(second.cost - first.cost) * scale, bands: agreeing.count)
  }

  // MARK: Occluded bars

  /// The sum of squares above the noise from which a dark or light run contradicts a code.
  private static let contradiction: Float = 1
  /// The largest mean squared residual of a digit's samples, and its largest multiple of the median of all digits.
  private static let unexplained: (mean: Float, times: Float) = (0.08, 5)
  /// The number of samples by which an occlusion extends beyond the edges of the run that it hides.
  private static let margin = 1

  /// Returns the best code and the next best, and the samples that are left out; nil if some digits fit no widths. A cover over the
  /// bars changes one dark or light run, so each code is compared without the run that contradicts it most.
  private static func candidates(
    _ fits: [Fit]
  ) -> (first: RetailCosts.Digits, second: RetailCosts.Digits, spoilt: Range<Int>)? {
    func best(without range: Range<Int>) -> (first: RetailCosts.Digits, second: RetailCosts.Digits)? {
      var sum = RetailCosts.none
      for fit in fits {
        sum.add(
          range.isEmpty ? fit.costs : RetailLine.costs(fit.samples, fit.model, without: range), weight: fit.weight)
      }
      sum.guards = 0
      return sum.best()
    }
    guard let plain = best(without: 0..<0) else { return nil }
    let runs = runs(fits)
    let errors = errors(plain.first.digits, fits)
    let noise = errors.sorted()[errors.count / 2]
    let isSpoilt = runs.contains { run in
      run.reduce(-Float(run.count) * 4 * noise) { $0 + errors[$1] } > contradiction
    }
    guard isSpoilt else { return (plain.first, plain.second, 0..<0) }
    var costs: [[UInt8]: (cost: Float, run: Range<Int>)] = [:]
    for run in runs {
      guard let (first, second) = best(without: run) else { continue }
      for code in [first, second] where code.cost < costs[code.digits]?.cost ?? .infinity {
        costs[code.digits] = (code.cost, run)
      }
    }
    let order = costs.sorted { $0.value.cost < $1.value.cost }
    guard order.count > 1 else { return nil }
    let spoilt = order[0].value.run
    guard explains(order[0].key, fits, without: spoilt) else { return nil }
    return (
      RetailCosts.Digits(cost: order[0].value.cost, digits: order[0].key),
      RetailCosts.Digits(cost: order[1].value.cost, digits: order[1].key), spoilt
    )
  }

  /// Returns the dark and light runs as ranges of model samples.
  private static func runs(_ fits: [Fit]) -> [Range<Int>] {
    let line = (0..<RetailModel.samples).map { i in fits.reduce(0) { $0 + $1.weight * $1.samples[i] } }
    var runs: [Range<Int>] = []
    var from = 0
    for i in 1...RetailModel.samples where i == RetailModel.samples || (line[i] < 0) != (line[i - 1] < 0) {
      runs.append(max(0, from - margin)..<min(RetailModel.samples, i + margin))
      from = i
    }
    return runs
  }

  /// Returns the squared deviations of the samples of some lines from the samples of a code.
  private static func errors(_ digits: [UInt8], _ fits: [Fit]) -> [Float] {
    var errors = [Float](repeating: 0, count: RetailModel.samples)
    let total = fits.reduce(0) { $0 + $1.weight }
    for fit in fits {
      for (i, level) in fit.model.samples(of: digits).enumerated() {
        errors[i] += fit.weight / total * (fit.samples[i] - level) * (fit.samples[i] - level)
      }
    }
    return errors
  }

  /// Returns whether each digit of a code fits its samples, without the occluded ones.
  private static func explains(_ digits: [UInt8], _ fits: [Fit], without spoilt: Range<Int>) -> Bool {
    let errors = errors(digits, fits)
    let means = (0..<12).map { place -> Float in
      let from = (RetailModel.quiet + (place < 6 ? 3 + 7 * place : 8 + 7 * place)) * RetailModel.samplesPerModule
      let kept = (from..<(from + RetailModel.Patterns.length)).filter { !spoilt.contains($0) }
      return kept.reduce(0) { $0 + errors[$1] } / Float(RetailModel.Patterns.length)
    }
    let limit = max(unexplained.mean, unexplained.times * means.sorted()[6])
    return means.allSatisfy { $0 < limit }
  }

  // MARK: Position of the model

  /// The radius in modules of the neighbourhood that determines the threshold between dark and light: small under a shadow, large if
  /// bars merge.
  private static let reaches = [10.0, 22]
  /// The number of alternations of fitting the levels to the best code and the code to the levels.
  private static let rounds = 3

  /// Returns the best fit of the model to the mean of some bands; `nil` if they do not look like bars.
  ///
  /// - Parameter known: the fit in other bands, whose pose is approximately the pose in these bands.
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

  /// Returns a refined pose, with levels and code fitted alternately.
  private mutating func levelled(_ start: Pose, _ line: RetailLine, _ isUpsideDown: Bool) -> Fit? {
    var (pose, line) = (refined(start, line, step: 0.25), line)
    var best: Fit?
    for round in 0...Self.rounds {
      let samples = line.samples(pose.begin, pose.module, pose.bend)
      let costs = RetailLine.costs(samples, RetailModel.all[pose.model])
      guard let code = costs.best()?.first else { return best }
      let residual = (code.cost + costs.guards) / Float(RetailModel.samples)
      if residual < best?.residual ?? .infinity {
        best = Fit(pose: pose, isUpsideDown: isUpsideDown, samples: samples, costs: costs, residual: residual)
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

  /// Returns up to three distinct poses whose ends are at most `reach` modules from the ends of `place`, the best first.
  private mutating func coarse(
    _ line: RetailLine, about place: ClosedRange<Double>, within reach: Int, _ module: Double
  ) -> [Pose] {
    // Sorted, the best first.
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
    // Refining neighbours of the best pose would give the same pose.
    var distinct: [Pose] = []
    for pose in poses where distinct.count < 3 {
      let isNear = distinct.contains { abs($0.begin - pose.begin) + 95 * abs($0.module - pose.module) < 0.8 * module }
      if !isNear { distinct.append(pose) }
    }
    return distinct
  }

  /// The sum of squares above which a pose shows no EAN-13: one and a half times the largest sum of readable codes.
  private static let farthest: Float = 45

  /// The number of poses kept to be compared by position.
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

// MARK: - Rescue

/// Reads EAN-13 and UPC-A symbols that libzbar does not read, by `RetailFit`, and confirms symbols that it read with difficulty. A
/// check digit and many agreeing lines do not prove a code whose bars merge: all lines of a blurred print have the same errors.
struct RetailRescue {
  /// The symbols that the fit reads in a picture, and the symbols that it refutes.
  struct Outcome {
    var symbols: [Symbol] = []
    /// Symbols that were read and that the fit refuted.
    var refuted: [Symbol] = []
  }

  let image: ImageView
  let symbologies: Set<Symbology>
  let bars: [BarRegion]

  static let symbologies: Set<Symbology> = [.ean13, .upcA]

  /// Reads the regions of bars, and compares the doubtful ones of the accepted symbols with the model.
  ///
  /// - Parameters:
  ///   - accepted: the symbols that were read.
  ///   - tried: the number of comparisons in this picture so far.
  ///   - draw: draws the strip of a region.
  func read(
    beside accepted: [Symbol], tried: inout Int, _ draw: (BarRegion) -> GrayImage
  ) -> Outcome {
    var outcome = Outcome()
    for symbol in accepted where Self.isDoubtful(symbol) {
      // The fit certainly shows another code, which was not read elsewhere.
      let region = BarRegion(covering: symbol.corners)
      guard let found = fit(region, draw, &tried),
        let other = self.symbol(found, region, Self.lead(whereTried: tried)),
        !accepted.contains(where: { $0.sameContent(as: other) })
      else { continue }
      outcome.refuted.append(symbol)
      outcome.symbols.append(other)
    }
    for region in bars {
      guard let found = fit(region, draw, &tried) else { continue }
      if let symbol = symbol(found, region, Self.lead(whereTried: tried)) { outcome.symbols.append(symbol) }
    }
    return outcome
  }

  /// Returns the log-likelihood ratio by which a fitted code must exceed every other one: it grows with the number of comparisons,
  /// because the best accidental fit improves with them. Neighbouring positions and widths are not independent comparisons.
  static func lead(whereTried tried: Int) -> Double { 3 + log(max(1, Double(tried) / 100)) }

  /// Returns whether a symbol was read only after its picture was processed, or by few lines.
  private static func isDoubtful(_ symbol: Symbol) -> Bool {
    symbologies.contains(symbol.symbology) && symbol.pass != .fitted && (symbol.pass != .strip || symbol.quality < 10)
  }

  /// Returns whether bars are clear and long enough for 95 modules, and no symbol was read at their place.
  static func isWorthwhile(_ region: BarRegion, beside accepted: [Symbol]) -> Bool {
    guard region.coherence > (accepted.isEmpty ? 0.7 : 0.8), region.length > 95, region.height > 12 else {
      return false
    }
    return !accepted.contains {
      $0.corners.bounds.contains(region.center) || region.corners.contains($0.corners.center)
    }
  }

  private func fit(
    _ region: BarRegion, _ draw: (BarRegion) -> GrayImage, _ tried: inout Int
  ) -> RetailFit.Result? {
    let strip = BarStrip(region)
    let half = region.length / 2 * region.direction
    let (from, to) = (strip.column(of: region.center - half), strip.column(of: region.center + half))
    guard to > from else { return nil }
    var fit = RetailFit(draw(region), span: from...to)
    let reading = fit.read()
    tried += fit.tried
    return reading
  }

  /// Returns the symbol of a fit; `nil` if its lead is at most `needed`, if only a third of the height of the bars shows it, or if
  /// its symbology is not wanted.
  private func symbol(_ found: RetailFit.Result, _ region: BarRegion, _ needed: Double) -> Symbol? {
    guard found.lead > needed, found.bands >= 2 else { return nil }
    let isUPCA = found.digits.first == 0x30 && symbologies.contains(.upcA)
    guard isUPCA || symbologies.contains(.ean13) else { return nil }
    let bytes = isUPCA ? Array(found.digits.dropFirst()) : found.digits
    let strip = BarStrip(region)
    var symbol = Symbol(
      symbology: isUPCA ? .upcA : .ean13, text: String(decoding: bytes, as: UTF8.self), bytes: bytes, charset: .ascii,
      corners: strip.rectangle(found.span), quality: Int(found.lead), pass: .fitted)
    let middle = Double(strip.bands) / 2
    symbol.corners = BarOutline.corners(
      of: symbol, leftAt: [Point2(found.span.lowerBound, middle), Point2(found.span.upperBound, middle)],
      isUpsideDown: found.isUpsideDown, in: strip, of: region, image)
    return symbol
  }
}
