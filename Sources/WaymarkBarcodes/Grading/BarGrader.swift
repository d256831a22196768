import WaymarkGeometry
import WaymarkImage
import WaymarkSymbologies

/// Grades the print of bars after ISO/IEC 15416: ten scan lines over the height of the bars, each with its reflectance profile.
struct BarGrader {
  let reflectance: Reflectance
  /// True if a line shows the symbol: its elements in pixels, drawn as a picture of black and white.
  let decodes: (_ widths: [Double]) -> Bool
  let symbology: Symbology

  private static let lines = 10
  private var isDataBar: Bool { [.dataBar, .dataBarExpanded, .dataBarLimited].contains(symbology) }

  /// - Parameter corners: of the bars.
  /// - Returns: `nil` where no line shows bars.
  func grade(_ corners: Quadrilateral) -> PrintGrade? {
    let profiles = (0..<Self.lines).compactMap { i -> Profile? in
      // The inspection band leaves out a tenth at either end.
      let share = 0.1 + 0.8 * (Double(i) + 0.5) / Double(Self.lines)
      let a = corners.topLeft + (corners.bottomLeft - corners.topLeft) * share
      let b = corners.topRight + (corners.bottomRight - corners.topRight) * share
      return Profile(reflectance, a, b, isDataBar: isDataBar)
    }
    guard !profiles.isEmpty else { return nil }
    let graded = profiles.map(parts)
    var parts: [PrintGrade.Part] = []
    for (i, part) in graded[0].enumerated() {
      let own = graded.map { $0[i] }
      let measured = own.compactMap(\.measured)
      parts.append(
        PrintGrade.Part(
          parameter: part.parameter,
          measured: measured.isEmpty ? nil : measured.reduce(0, +) / Double(measured.count),
          value: own.reduce(0) { $0 + $1.value } / Double(own.count)))
    }
    let value = graded.reduce(0) { $0 + ($1.map(\.value).min() ?? 0) } / Double(graded.count)
    return PrintGrade(standard: "ISO/IEC 15416", value: value, parts: parts, lines: graded.count)
  }

  /// The parameters of one line.
  private func parts(_ profile: Profile) -> [PrintGrade.Part] {
    let contrast = profile.high - profile.low
    let isRead = decodes(profile.widths)
    let decodability = isRead ? self.decodability(profile.widths) : 0
    let modulation = contrast > 0 ? profile.leastEdge / contrast : 0
    let defects = contrast > 0 ? profile.worstDefect / contrast : 1
    func pass(_ passes: Bool) -> Double { passes ? 4 : 0 }
    return [
      .init(parameter: .edgeDetermination, measured: nil, value: pass(profile.isComplete)),
      .init(parameter: .minimumReflectance, measured: profile.low, value: pass(profile.low <= 0.5 * profile.high)),
      .init(
        parameter: .symbolContrast, measured: contrast, value: PrintGrade.grade(contrast, PrintGrade.contrastLimits)),
      .init(parameter: .minimumEdgeContrast, measured: profile.leastEdge, value: pass(profile.leastEdge >= 0.15)),
      .init(parameter: .modulation, measured: modulation, value: PrintGrade.grade(modulation, [0.7, 0.6, 0.5, 0.4])),
      .init(
        parameter: .defects, measured: defects, value: PrintGrade.grade(defects, atMost: [0.15, 0.2, 0.25, 0.3])),
      .init(
        parameter: .decodability, measured: decodability,
        value: PrintGrade.grade(decodability, PrintGrade.correctionLimits)),
      .init(parameter: .decode, measured: nil, value: pass(isRead)),
    ]
  }

  /// How much of the tolerance for misplaced edges is left, 0 to 1, of the worst character.
  private func decodability(_ widths: [Double]) -> Double {
    switch symbology {
    case .code39, .code32, .itf, .codabar, .standard2of5: twoWidths(widths)
    case .pharmacode, .telepen:
      twoWidths(symbology == .pharmacode ? stride(from: 0, to: widths.count, by: 2).map { widths[$0] } : widths)
    default: similarEdges(widths)
    }
  }

  /// Narrow and wide elements: how far the nearest to the level between them is from it.
  private func twoWidths(_ widths: [Double]) -> Double {
    // Spaces between characters may be of any width; they count as what they are nearer to.
    let sorted = widths.sorted()
    guard sorted.count >= 4 else { return 0 }
    var cut = 1
    for i in 1..<sorted.count where sorted[i] / sorted[i - 1] > sorted[cut] / sorted[cut - 1] { cut = i }
    let narrow = sorted[..<cut].reduce(0, +) / Double(cut)
    let wide = sorted[cut...].reduce(0, +) / Double(sorted.count - cut)
    let level = (narrow + wide) / 2
    guard wide > narrow else { return 0 }
    let gap = min(sorted[cut] - level, level - sorted[cut - 1])
    return min(max(gap / (level - narrow), 0), 1)
  }

  /// Characters of whole modules: how far distances between similar edges are from whole modules.
  private func similarEdges(_ widths: [Double]) -> Double {
    let spans = zip(widths, widths.dropFirst()).map { $0 + $1 }
    guard spans.count >= 6 else { return 0 }
    // Of a narrow bar and a narrow space together, which ink that spreads leaves as they are.
    func narrow(_ first: Int) -> Double {
      let own = stride(from: first, to: widths.count, by: 2).map { widths[$0] }.sorted()
      return own[own.count / 6]
    }
    let rough = (narrow(0) + narrow(1)) / 2
    guard rough > 0 else { return 0 }
    // Moved edges spoil that too: of the sizes around it the one whose multiples the distances are.
    func misfit(_ module: Double) -> Double {
      spans.reduce(0) { sum, span in
        let off = span / module - max(2, (span / module).rounded())
        return sum + off * off
      }
    }
    var module = (38...62).map { rough * Double($0) / 50 }.min { misfit($0) < misfit($1) } ?? rough
    for _ in 0..<4 {
      let whole = spans.reduce(0) { $0 + max(2, ($1 / module).rounded()) }
      module = spans.reduce(0, +) / whole
    }
    // Modules may differ along a line where the camera is tilted: the size of one is that of the surroundings.
    let reach = 12
    var worst = 0.0
    for i in spans.indices {
      let near = spans[max(0, i - reach)...min(spans.count - 1, i + reach)]
      let own = near.reduce(0, +) / near.reduce(0) { $0 + max(2, ($1 / module).rounded()) }
      let modules = spans[i] / own
      worst = max(worst, abs(modules - max(2, modules.rounded())))
    }
    return max(0, 1 - 2 * worst)
  }
}

/// A scan reflectance profile: the line through the bars with its edges at the global threshold, halfway between the darkest and the
/// lightest.
private struct Profile {
  /// The lightest and the darkest of the line.
  var high = 0.0
  var low = 1.0
  /// The widths of the elements, in pixels; the first and the last are bars.
  var widths: [Double] = []
  /// The least difference between the lightest of a space and the darkest of a bar beside it.
  var leastEdge = 0.0
  /// The largest step back within an element.
  var worstDefect = 0.0
  /// True if both quiet zones were found, light enough.
  var isComplete = false

  init?(_ reflectance: Reflectance, _ a: Point2, _ b: Point2, isDataBar: Bool) {
    let length = a.distance(to: b)
    guard length >= 20, length < 20_000 else { return nil }
    let step = 0.25
    let way = (b - a) / length
    // Beyond the corners lie the quiet zones; and where no outline fitted, the other half of what is read by halves (EAN-13, DataBar).
    let margin = 1.3 * length
    let count = Int((length + 2 * margin) / step)
    let values = (0..<count).map { reflectance.at(a + way * (Double($0) * step - margin)) }
    let inner = values[Int(margin / step)..<min(count, Int((margin + length) / step))]
    guard let darkest = inner.min(), let lightest = inner.max(), lightest > darkest else { return nil }
    // The extent by the threshold of what lies between the corners; then the threshold of the whole.
    guard let rough = Span(values, (darkest + lightest) / 2, isDataBar) else { return nil }
    let whole = values[rough.range(in: values)]
    (low, high) = (whole.min() ?? darkest, whole.max() ?? lightest)
    guard high > low, let span = Span(values, (low + high) / 2, isDataBar) else { return nil }
    widths = zip(span.edges, span.edges.dropFirst()).map { ($1 - $0) * step }
    // DataBar needs no quiet zones.
    isComplete = isDataBar || min(span.before, span.after) > 5 * span.narrow
    measure(values, span)
  }

  /// Edge contrasts and defects.
  private mutating func measure(_ values: [Double], _ span: Span) {
    let edges = span.edges
    // Quiet zones count as spaces next to the outer bars.
    guard let first = edges.first, let last = edges.last else { return }
    let quiet = 4 * span.narrow
    let bounds = [first - min(quiet, span.before)] + edges + [last + min(quiet, span.after)]
    var previous: Double?
    leastEdge = .infinity
    for i in 0..<(bounds.count - 1) {
      let lower = min(max(0, Int(bounds[i].rounded(.up))), values.count - 1)
      let own = values[lower...max(lower, min(values.count - 1, Int(bounds[i + 1])))]
      // The first is the quiet zone.
      let isBar = !i.isMultiple(of: 2)
      guard let extreme = isBar ? own.min() : own.max() else { continue }
      if let previous { leastEdge = min(leastEdge, abs(extreme - previous)) }
      previous = extreme
      worstDefect = max(worstDefect, Self.defect(own, isBar: isBar))
    }
    if !leastEdge.isFinite { leastEdge = 0 }
  }

  /// How far the profile goes back on its way through an element: the difference between a valley and the lower of the peaks on
  /// either side of it.
  private static func defect(_ own: ArraySlice<Double>, isBar: Bool) -> Double {
    let values = isBar ? own.map { -$0 } : Array(own)
    var worst = 0.0
    var left = [Double](), peak = -Double.infinity
    for value in values {
      peak = max(peak, value)
      left.append(peak)
    }
    peak = -.infinity
    for i in values.indices.reversed() {
      peak = max(peak, values[i])
      worst = max(worst, min(left[i], peak) - values[i])
    }
    return worst
  }
}

/// Where the bars around the middle of a profile are, in steps of it.
private struct Span {
  /// From the first edge of the first bar to the last edge of the last.
  var edges: [Double]
  /// About the width of the narrowest element.
  var narrow: Double
  /// How far it stays light on either side.
  var before: Double
  var after: Double

  init?(_ values: [Double], _ threshold: Double, _ isDataBar: Bool) {
    var edges: [Double] = []
    var isDark = values[0] < threshold
    if isDark { edges.append(0) }
    for i in 1..<values.count where (values[i] < threshold) != isDark {
      isDark.toggle()
      let share = (threshold - values[i - 1]) / (values[i] - values[i - 1])
      edges.append(Double(i - 1) + min(max(share, 0), 1))
    }
    if isDark { edges.append(Double(values.count - 1)) }
    guard edges.count >= 8 else { return nil }
    let all = zip(edges, edges.dropFirst()).map { $1 - $0 }
    let center = Double(values.count) / 2
    let middle = all.indices.min { abs(edges[$0] - center) < abs(edges[$1] - center) } ?? 0
    // The elements beyond the symbol have other widths.
    // The elements beyond the symbol have other widths.
    let near = all[max(0, middle - 12)...min(all.count - 1, middle + 12)].sorted()
    narrow = near[near.count / 5]
    let (widest, narrow) = (isDataBar ? 10.5 : 6.5, self.narrow)
    // The bars around the middle, up to light ones that are wider than any within a symbol.
    func isQuiet(_ i: Int) -> Bool { !i.isMultiple(of: 2) && all[i] > widest * narrow }
    var (first, last) = (middle, middle)
    while first > 0, !isQuiet(first - 1) { first -= 1 }
    while last + 1 < all.count, !isQuiet(last + 1) { last += 1 }
    if !first.isMultiple(of: 2) { first += 1 }
    if !last.isMultiple(of: 2) { last -= 1 }
    guard last - first >= 6 else { return nil }
    self.edges = Array(edges[first...(last + 1)])
    before = first > 0 ? all[first - 1] : edges[0]
    after = last + 1 < all.count ? all[last + 1] : Double(values.count) - edges[last + 1]
  }

  /// The bars with as much of the quiet zones as is measured.
  func range(in values: [Double]) -> Range<Int> {
    let (first, last) = (edges.first ?? 0, edges.last ?? 0)
    let lower = max(0, Int(first - min(4 * narrow, before)))
    return lower..<max(lower + 1, min(values.count, Int(last + min(4 * narrow, after))))
  }
}
