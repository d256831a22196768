import CKernels
import Glibc
import WaymarkImage

/// The appearance of an EAN-13 blurred by a lens: a profile of each digit between its neighbours, for one width of the blur. Light
/// is 1, dark is -1.
///
/// Digits remain distinguishable when their bars merge, because a sum of squares uses every sample where edges are lost (O. Gallo,
/// R. Manduchi: Reading 1D Barcodes with Mobile Phones Using Deformable Templates, PAMI 2011). The file also has the line to which
/// the model is fitted (`RetailLine`) and the distances of each digit (`RetailCosts`).
struct RetailModel {
  /// The samples of a digit: seven modules of two samples each; the last two SIMD lanes are zero.
  typealias Digit = SIMD16<Float>

  static let samplesPerModule = 2
  /// The number of light modules of the model before and after the bars.
  static let quiet = 3
  static let modules = 95
  /// The number of samples of a whole line: the bars and the light beside them.
  static let samples = (modules + 2 * quiet) * samplesPerModule

  /// The digits of a set, in the memory layout of `ck_nearest`.
  struct Patterns {
    static let length = 7 * samplesPerModule
    private let samples: [Float]
    private let powers: [Float]

    init(_ digits: [Digit]) {
      let size = Int(CK_GROUP)
      let groups = (digits.count + size - 1) / size
      var samples = [Float](repeating: 0, count: groups * size * Self.length)
      var powers = [Float](repeating: .infinity, count: groups * size)
      for (i, digit) in digits.enumerated() {
        powers[i] = (digit * digit).sum()
        for k in 0..<Self.length { samples[(i / size * Self.length + k) * size + i % size] = digit[k] }
      }
      (self.samples, self.powers) = (samples, powers)
    }

    /// Returns `sum` plus the squared distances of six consecutive digits from the closest patterns; inexact above `bound`.
    func nearest(_ line: UnsafePointer<Float>, _ sum: Float, below bound: Float) -> Float {
      ck_nearest(
        line, Int32(Self.length), 6, samples, powers, Int32(Self.length), Int32(powers.count / Int(CK_GROUP)),
        sum, bound)
    }
  }

  /// The standard deviation of the blur, in modules.
  let blur: Double
  /// The profiles of sets A and B, as in the left half.
  let left: [Digit]
  /// The profiles of set C, as in the right half.
  let right: [Digit]
  /// The profiles of the left half in the layout of `ck_nearest`; `rightPatterns` has the profiles of the right half.
  let leftPatterns: Patterns
  let rightPatterns: Patterns
  /// The profiles of the guards: `first` and `last` with the light outside of the symbol.
  let first: Digit
  let middle: Digit
  let last: Digit

  /// The models from sharp to the strongest blur at which digits remain distinct.
  static let all = [0.3, 0.42, 0.54, 0.66, 0.78, 0.9, 1.02, 1.16, 1.3].map(RetailModel.init)

  init(blur: Double) {
    self.blur = blur
    // A digit of the left half begins light and ends dark; a digit of the right half begins dark and ends light.
    left = RetailPattern.digits.map {
      Self.profile(
        [0.5, 0.5, 0.5, 1] + Self.expanded($0, isDark: false) + [0, 0.5, 0.5, 0.5], from: 4, count: 7, blur)
    }
    right = RetailPattern.digits.prefix(10).map {
      Self.profile([0.5, 0.5, 0.5, 0] + Self.expanded($0, isDark: true) + [1, 0.5, 0.5, 0.5], from: 4, count: 7, blur)
    }
    leftPatterns = Patterns(left)
    rightPatterns = Patterns(right)
    let light = [Double](repeating: 0, count: 8)
    first = Self.profile(light + [1, 0, 1, 0, 0.5, 0.5, 0.5], from: 8 - Self.quiet, count: Self.quiet + 3, blur)
    middle = Self.profile([0.5, 0.5, 0.5, 1, 0, 1, 0, 1, 0, 1, 0.5, 0.5, 0.5], from: 4, count: 5, blur)
    last = Self.profile([0.5, 0.5, 0.5, 0, 1, 0, 1] + light, from: 4, count: Self.quiet + 3, blur)
  }

  /// Returns the samples of a whole symbol, from the light before it to the light after it.
  func samples(of digits: [UInt8]) -> [Float] {
    let parity = RetailPattern.evenPlaces[Int(digits[0])]
    func lanes(_ digit: Digit, _ modules: Int) -> [Float] { (0..<(modules * Self.samplesPerModule)).map { digit[$0] } }
    var line = lanes(first, Self.quiet + 3)
    for i in 0..<6 { line += lanes(left[Int(digits[i + 1]) + (parity[i] ? 10 : 0)], 7) }
    line += lanes(middle, 5)
    for i in 0..<6 { line += lanes(right[Int(digits[i + 7])], 7) }
    return line + lanes(last, Self.quiet + 3)
  }

  /// Returns the modules of elements of the given widths: 1 for dark, 0 for light.
  private static func expanded(_ widths: [Int], isDark: Bool) -> [Double] {
    zip(widths, widths.indices).flatMap { width, i in
      [Double](repeating: i.isMultiple(of: 2) == isDark ? 1 : 0, count: width)
    }
  }

  /// Returns the samples of `count` modules, beginning with module `from`, convolved with a Gaussian; -1 is dark, 1 is light.
  private static func profile(_ modules: [Double], from: Int, count: Int, _ blur: Double) -> Digit {
    var digit = Digit(repeating: 0)
    for i in 0..<(count * samplesPerModule) {
      let at = Double(from) + (Double(i) + 0.5) / Double(samplesPerModule)
      var (sum, weight) = (0.0, 0.0)
      for (k, dark) in modules.enumerated() {
        let share =
          erf((Double(k + 1) - at) / (blur * 2.0.squareRoot())) - erf((Double(k) - at) / (blur * 2.0.squareRoot()))
        sum += share * (1 - 2 * dark)
        weight += share
      }
      digit[i] = Float(sum / max(weight, 1e-9))
    }
    return digit
  }
}

// MARK: - Costs

/// The squared distances of a line from each digit at each position of an EAN-13.
struct RetailCosts {
  /// For each of the six positions of the left half: the ten digits of set A, then those of set B.
  var left: [[Float]]
  /// For each of the six positions of the right half: the ten digits of set C.
  var right: [[Float]]
  /// The squared distance of the guards and the light beside them.
  var guards: Float

  /// A code and its squared distance from the lines.
  struct Digits {
    var cost: Float
    /// The thirteen digits as numbers from 0 to 9.
    var digits: [UInt8]
  }

  mutating func add(_ other: RetailCosts, weight: Float) {
    for i in 0..<6 {
      for d in left[i].indices { left[i][d] += weight * other.left[i][d] }
      for d in right[i].indices { right[i][d] += weight * other.right[i][d] }
    }
    guards += weight * other.guards
  }

  static let none = RetailCosts(
    left: Array(repeating: Array(repeating: 0, count: 20), count: 6),
    right: Array(repeating: Array(repeating: 0, count: 10), count: 6), guards: 0)

  /// Returns the best code with a valid check digit, and the next best; `nil` unless there are two. Uses dynamic programming, which
  /// keeps the two best sequences of digits for each checksum so far.
  func best() -> (first: Digits, second: Digits)? {
    var best = (first: Way.none, second: Way.none)
    withUnsafeTemporaryAllocation(of: Way.self, capacity: 40) { memory in
      for (lead, parity) in RetailPattern.evenPlaces.enumerated() {
        // Two sequences for each checksum, the better one first.
        var ways = UnsafeMutableBufferPointer(rebasing: memory[..<20])
        var next = UnsafeMutableBufferPointer(rebasing: memory[20...])
        ways.initialize(repeating: Way.none)
        ways[2 * lead] = Way(cost: 0, digits: UInt64(lead))
        for place in 0..<12 {
          next.initialize(repeating: Way.none)
          let costs = place < 6 ? left[place] : right[place - 6]
          let from = place < 6 && parity[place] ? 10 : 0
          let weight = place.isMultiple(of: 2) ? 3 : 1
          for i in 0..<20 where ways[i].cost < .infinity {
            for digit in 0..<10 {
              let way = Way(cost: ways[i].cost + costs[from + digit], digits: ways[i].digits << 4 | UInt64(digit))
              let total = 2 * ((i / 2 + weight * digit) % 10)
              if way.cost < next[total].cost {
                (next[total], next[total + 1]) = (way, next[total])
              } else if way.cost < next[total + 1].cost {
                next[total + 1] = way
              }
            }
          }
          swap(&ways, &next)
        }
        for way in ways[..<2] {
          if way.cost < best.first.cost {
            best = (way, best.first)
          } else if way.cost < best.second.cost {
            best.second = way
          }
        }
      }
    }
    return best.second.cost < .infinity ? (best.first.code, best.second.code) : nil
  }

  private struct Way {
    var cost: Float
    /// Four bits per digit, the last digit in the lowest bits.
    var digits: UInt64

    static let none = Way(cost: .infinity, digits: 0)

    var code: Digits {
      Digits(cost: cost, digits: (0..<13).map { UInt8(truncatingIfNeeded: digits >> UInt64(48 - 4 * $0) & 15) })
    }
  }
}

// MARK: - Lines

/// A line across bars, as brightness relative to the local contrast: 1 is the lightest near by, -1 the darkest.
struct RetailLine {
  private let levels: [Float]
  /// True if there are about as many bars as in an EAN-13, some of which may have merged.
  let looksLikeBars: Bool

  private init(levels: [Float], looksLikeBars: Bool) {
    self.levels = levels
    self.looksLikeBars = looksLikeBars
  }

  /// Creates the line as the mean of some bands of a strip in which every band occurs twice.
  ///
  /// - Parameters:
  ///   - module: the approximate size of a module in pixels.
  ///   - reach: the radius in modules of the neighbourhood that determines the threshold between dark and light.
  init(_ strip: GrayImage, bands: Range<Int>, module: Double, reach modules: Double) {
    var line = [Float](repeating: 0, count: strip.width)
    for band in bands { for x in line.indices { line[x] += Float(strip[x, 2 * band]) } }
    for x in line.indices { line[x] /= Float(max(1, bands.count)) }
    line = Self.mean(line, over: Int(module / 2))
    let reach = max(3, Int(modules * module))
    // The local minimum and maximum, smoothed, so that a single dark spot does not make a step.
    let low = Self.mean(Self.extreme(line, reach, min), over: reach)
    let high = Self.mean(Self.extreme(line, reach, max), over: reach)
    for x in line.indices { line[x] = 2 * (line[x] - low[x]) / max(high[x] - low[x], 8) - 1 }
    levels = line
    // Counts changes of direction of at least an eighth of the contrast.
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

  /// The line from its other end.
  var reversed: RetailLine { RetailLine(levels: levels.reversed(), looksLikeBars: looksLikeBars) }

  /// The positions of the samples of a model: in modules from the beginning of its bars, and as a share of their length.
  private static let places = (0..<RetailModel.samples).map { i in
    let at = (Double(i) + 0.5) / Double(RetailModel.samplesPerModule) - Double(RetailModel.quiet)
    return (at: at, share: at / Double(RetailModel.modules))
  }

  /// Returns the levels of the line at the samples of a model with a given pose, and four zeros.
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
        // Loading a digit also loads two samples of the next one.
        for i in RetailModel.samples..<(RetailModel.samples + 4) { samples[i] = 0 }
        count = RetailModel.samples + 4
      }
    }
  }

  /// Returns the line with lighting and contrast fitted to a symbol, both changing slowly along the line. Local extremes would not
  /// do, because they are wrong where narrow bars merge. `nil` if the line has less than a tenth of the symbol's contrast.
  ///
  /// - Parameter symbol: the samples of a symbol with this pose.
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

  /// Returns the squared distance of samples from the closest digits and the guards of a model; inexact above `bound`.
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

  /// Returns the squared distances of samples from each digit of a model at each position, without the `spoilt` samples.
  static func costs(_ samples: [Float], _ model: RetailModel, without spoilt: Range<Int> = 0..<0) -> RetailCosts {
    var costs = RetailCosts.none
    costs.guards = Self.guards(samples, model)
    func off(_ patterns: [RetailModel.Digit], _ module: Int) -> [Float] {
      let own = digit(samples, module)
      let from = Int32((module + RetailModel.quiet) * RetailModel.samplesPerModule)
      let isSpoilt =
        laneNumbers .>= Int32(spoilt.lowerBound) &- from .& (laneNumbers .< Int32(spoilt.upperBound) &- from)
      return patterns.map { (($0 - own) * ($0 - own)).replacing(with: 0, where: isSpoilt).sum() }
    }
    for place in 0..<6 {
      costs.left[place] = off(model.left, 3 + 7 * place)
      costs.right[place] = off(model.right, 50 + 7 * place)
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

  /// Returns the samples of the seven modules that begin at a module.
  @inline(__always)
  private static func digit(_ samples: [Float], _ module: Int) -> RetailModel.Digit {
    lanes(samples, module, count: RetailModel.Patterns.length)
  }

  /// Returns `count` samples from a module on; as in a model, the remaining SIMD lanes are zero.
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

  /// Returns the mean of a window around each sample.
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

  /// Returns the minimum or maximum within a reach around each sample.
  private static func extreme(_ line: [Float], _ reach: Int, _ pick: (Float, Float) -> Float) -> [Float] {
    // Works by blocks of half the reach, so that the cost does not grow with the reach.
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
