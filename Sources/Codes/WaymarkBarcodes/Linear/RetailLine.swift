import WaymarkImage

/// One line across bars, as light within the contrast of its surroundings: 1 is the lightest near by, -1 the darkest.
struct RetailLine {
  private let levels: [Float]
  /// True if there are about as many bars as an EAN-13 has, some of which may have melted together.
  let looksLikeBars: Bool

  private init(levels: [Float], looksLikeBars: Bool) {
    self.levels = levels
    self.looksLikeBars = looksLikeBars
  }

  /// The mean of some bands of a strip in which every band occurs twice.
  ///
  /// - Parameter module: pixels a module, about.
  ///   - reach: how many modules to either side tell light from dark.
  init(_ strip: GrayImage, bands: Range<Int>, module: Double, reach modules: Double) {
    var line = [Float](repeating: 0, count: strip.width)
    for band in bands { for x in line.indices { line[x] += Float(strip[x, 2 * band]) } }
    for x in line.indices { line[x] /= Float(max(1, bands.count)) }
    line = Self.mean(line, over: Int(module / 2))
    let reach = max(3, Int(modules * module))
    // The darkest and the lightest near by, smoothed, so that one dark spot is not a step.
    let low = Self.mean(Self.extreme(line, reach, min), over: reach)
    let high = Self.mean(Self.extreme(line, reach, max), over: reach)
    for x in line.indices { line[x] = 2 * (line[x] - low[x]) / max(high[x] - low[x], 8) - 1 }
    levels = line
    // Turns by an eighth of the contrast.
    var (turns, isRising, last) = (0, false, line.first ?? 0)
    for level in line {
      if isRising ? level > last : level < last {
        last = level
      } else if abs(level - last) > 0.25 {
        turns += 1
        isRising.toggle()
        last = level
      }
    }
    looksLikeBars = (18...120).contains(turns)
  }

  /// The same line from its other end.
  var reversed: RetailLine { RetailLine(levels: levels.reversed(), looksLikeBars: looksLikeBars) }

  /// Where the samples of a model lie, in modules from where its bars begin, and as a share of their length.
  private static let places = (0..<RetailModel.samples).map { i in
    let at = (Double(i) + 0.5) / Double(RetailModel.samplesPerModule) - Double(RetailModel.quiet)
    return (at: at, share: at / Double(RetailModel.modules))
  }

  /// The levels at the samples of a model that lies so.
  func samples(_ begin: Double, _ module: Double, _ bend: Double) -> [Float] {
    let last = Double(levels.count) - 1.001
    let places = Self.places
    return levels.withUnsafeBufferPointer { levels in
      [Float](unsafeUninitializedCapacity: RetailModel.samples + 4) { samples, count in
        for (i, place) in places.enumerated() {
          let at = place.at + 4 * bend * place.share * (1 - place.share)
          let x = min(max(begin + module * at, 0), last)
          let k = Int(x)
          let rest = Float(x - Double(k))
          samples[i] = levels[k] + rest * (levels[k &+ 1] - levels[k])
        }
        // A digit is loaded with two samples of the next one.
        for i in RetailModel.samples..<(RetailModel.samples + 4) { samples[i] = 0 }
        count = RetailModel.samples + 4
      }
    }
  }

  /// The line with light and contrast that change slowly along it as a symbol would have them: what the lightest and the
  /// darkest near by tell of them is wrong where narrow bars melt.
  ///
  /// - Parameter symbol: the samples of a symbol that lies so.
  func levelled(_ begin: Double, _ module: Double, _ bend: Double, as symbol: [Float]) -> RetailLine? {
    let samples = samples(begin, module, bend)
    var equations = NormalEquations()
    let last = Double(RetailModel.samples - 1)
    for (i, light) in symbol.enumerated() {
      let (u, m) = (2 * Double(i) / last - 1, Double(light))
      equations.add([1, u, u * u, m, m * u, m * u * u, 0, 0], Double(samples[i]))
    }
    guard let x = equations.solve(count: 6), x[3] > 0.1 else { return nil }
    var other = levels
    for k in other.indices {
      let i = ((Double(k) - begin) / module + Double(RetailModel.quiet)) * Double(RetailModel.samplesPerModule) - 0.5
      let u = min(max(2 * i / last - 1, -1.1), 1.1)
      let contrast = max(x[3] + x[4] * u + x[5] * u * u, 0.2 * x[3])
      other[k] = Float((Double(levels[k]) - x[0] - x[1] * u - x[2] * u * u) / contrast)
    }
    return RetailLine(levels: other, looksLikeBars: looksLikeBars)
  }

  /// How far samples are from the nearest digits and the guards of a model; above `bound` it is not exact.
  static func cost(_ samples: [Float], _ model: RetailModel, below bound: Float) -> Float {
    samples.withUnsafeBufferPointer { line in
      guard let line = line.baseAddress else { return .infinity }
      func at(_ module: Int) -> UnsafePointer<Float> {
        line + (module + RetailModel.quiet) * RetailModel.samplesPerModule
      }
      let left = model.leftPatterns.nearest(at(3), guards(samples, model), below: bound)
      return left > bound ? left : model.rightPatterns.nearest(at(50), left, below: bound)
    }
  }

  /// How far the line is from each digit at each place.
  func costs(_ begin: Double, _ module: Double, _ bend: Double, _ model: RetailModel) -> RetailCosts {
    let samples = samples(begin, module, bend)
    var costs = RetailCosts.none
    costs.guards = Self.guards(samples, model)
    for place in 0..<6 {
      let (a, b) = (Self.digit(samples, 3 + 7 * place), Self.digit(samples, 50 + 7 * place))
      costs.left[place] = model.left.map { (($0 - a) * ($0 - a)).sum() }
      costs.right[place] = model.right.map { (($0 - b) * ($0 - b)).sum() }
    }
    return costs
  }

  private static func guards(_ samples: [Float], _ model: RetailModel) -> Float {
    @inline(__always) func off(_ pattern: RetailModel.Digit, _ module: Int, _ modules: Int) -> Float {
      let difference = lanes(samples, module, count: modules * RetailModel.samplesPerModule) - pattern
      return (difference * difference).sum()
    }
    return off(model.first, -RetailModel.quiet, RetailModel.quiet + 3) + off(model.middle, 45, 5)
      + off(model.last, 92, RetailModel.quiet + 3)
  }

  /// Seven modules from one on.
  @inline(__always)
  private static func digit(_ samples: [Float], _ module: Int) -> RetailModel.Digit {
    lanes(samples, module, count: RetailModel.Patterns.length)
  }

  /// So many samples from a module on; the other lanes are empty, as those of a model are.
  @inline(__always)
  private static func lanes(_ samples: [Float], _ module: Int, count: Int) -> RetailModel.Digit {
    let from = (module + RetailModel.quiet) * RetailModel.samplesPerModule
    return samples.withUnsafeBufferPointer { samples in
      let lanes = UnsafeRawPointer(samples.baseAddress! + from).loadUnaligned(as: RetailModel.Digit.self)
      return lanes.replacing(with: 0, where: laneNumbers .>= Int32(count))
    }
  }

  private static let laneNumbers = SIMD16<Int32>(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)

  // MARK: Filters

  /// The mean over a window about each sample.
  private static func mean(_ line: [Float], over width: Int) -> [Float] {
    guard width > 1 else { return line }
    var sums: [Float] = [0]
    sums.reserveCapacity(line.count + 1)
    for level in line { sums.append(sums[sums.count - 1] + level) }
    let (before, after) = (width / 2, width - width / 2)
    return line.indices.map { x in
      let (from, to) = (max(0, x - before), min(line.count, x + after))
      return (sums[to] - sums[from]) / Float(to - from)
    }
  }

  /// The least or the greatest within a reach about each sample.
  private static func extreme(_ line: [Float], _ reach: Int, _ pick: (Float, Float) -> Float) -> [Float] {
    // By blocks of half the reach, so that the cost does not grow with it.
    let block = max(1, reach / 2)
    let blocks = stride(from: 0, to: line.count, by: block).map { from in
      line[from..<min(line.count, from + block)].dropFirst().reduce(line[from], pick)
    }
    return line.indices.map { x in
      let b = x / block
      return blocks[max(0, b - 2)...min(blocks.count - 1, b + 2)].dropFirst().reduce(blocks[max(0, b - 2)], pick)
    }
  }
}
