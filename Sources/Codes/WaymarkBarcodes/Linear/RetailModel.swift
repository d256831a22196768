import CKernels
import Glibc

/// What an EAN-13 looks like through a lens that spreads its modules: a profile of each digit between its neighbours, for one
/// width of the blur.
///
/// Light is 1, dark is -1. Bars that melt into each other still tell their digits: a sum of squares takes every sample into
/// account, where edges are found or lost (O. Gallo, R. Manduchi: Reading 1D Barcodes with Mobile Phones Using Deformable
/// Templates, PAMI 2011).
struct RetailModel {
  /// Seven modules of two samples each; the last two lanes are empty.
  typealias Digit = SIMD16<Float>

  static let samplesPerModule = 2
  /// Light modules before and after the bars that belong to the model.
  static let quiet = 3
  static let modules = 95
  /// Samples of a whole line: bars and the light beside them.
  static let samples = (modules + 2 * quiet) * samplesPerModule

  /// The digits of a set, in the order in which `ck_nearest` takes patterns.
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

    /// `sum` and how far six digits that follow each other are from the nearest of these; what is above `bound` is not exact.
    func nearest(_ line: UnsafePointer<Float>, _ sum: Float, below bound: Float) -> Float {
      ck_nearest(
        line, Int32(Self.length), 6, samples, powers, Int32(Self.length), Int32(powers.count / Int(CK_GROUP)),
        sum, bound)
    }
  }

  /// Standard deviation of the blur in modules.
  let blur: Double
  /// Sets A and B, as the left half has them.
  let left: [Digit]
  /// Set C, as the right half has them.
  let right: [Digit]
  /// Both again, as they are compared with many samples.
  let leftPatterns: Patterns
  let rightPatterns: Patterns
  /// The guards with the light outside, and the one in the middle.
  let first: Digit
  let middle: Digit
  let last: Digit

  /// From sharp to as blurred as digits can be told apart.
  static let all = [0.3, 0.42, 0.54, 0.66, 0.78, 0.9, 1.02, 1.16, 1.3].map(RetailModel.init)

  init(blur: Double) {
    self.blur = blur
    // A digit of the left half begins light and ends dark, one of the right half the other way.
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

  /// The samples of a whole symbol, from the light before it to the light behind it.
  func samples(of digits: [UInt8]) -> [Float] {
    let parity = RetailPattern.evenPlaces[Int(digits[0])]
    func lanes(_ digit: Digit, _ modules: Int) -> [Float] { (0..<(modules * Self.samplesPerModule)).map { digit[$0] } }
    var line = lanes(first, Self.quiet + 3)
    for i in 0..<6 { line += lanes(left[Int(digits[i + 1]) + (parity[i] ? 10 : 0)], 7) }
    line += lanes(middle, 5)
    for i in 0..<6 { line += lanes(right[Int(digits[i + 7])], 7) }
    return line + lanes(last, Self.quiet + 3)
  }

  /// Element widths as modules, 1 for dark.
  private static func expanded(_ widths: [Int], isDark: Bool) -> [Double] {
    zip(widths, widths.indices).flatMap { width, i in
      [Double](repeating: i.isMultiple(of: 2) == isDark ? 1 : 0, count: width)
    }
  }

  /// Modules under a Gaussian, at the samples of some of them.
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

/// How far a line is from each digit at each place of an EAN-13, as sums of squares.
struct RetailCosts {
  /// For each of the six places to the left the ten digits of set A, then those of set B.
  var left: [[Float]]
  /// For each of the six places to the right the ten digits of set C.
  var right: [[Float]]
  /// The guards and the light beside them.
  var guards: Float

  /// A code and how far it is from the lines.
  struct Digits {
    var cost: Float
    /// The thirteen digits.
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

  /// The best code with a right check digit, and the next best one: by the sum of digits so far, the two best ways to it.
  func best() -> (first: Digits, second: Digits)? {
    var best = (first: Way.none, second: Way.none)
    withUnsafeTemporaryAllocation(of: Way.self, capacity: 40) { memory in
      for (lead, parity) in RetailPattern.evenPlaces.enumerated() {
        // Two for each sum, the better one first.
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
    /// Four bits each, the last digit lowest.
    var digits: UInt64

    static let none = Way(cost: .infinity, digits: 0)

    var code: Digits {
      Digits(cost: cost, digits: (0..<13).map { UInt8(truncatingIfNeeded: digits >> UInt64(48 - 4 * $0) & 15) })
    }
  }
}
