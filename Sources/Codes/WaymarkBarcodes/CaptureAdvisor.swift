import WaymarkImage

/// Advises a person on how to have a code read.
enum CaptureAdvisor {
  /// For a QR code that was found but not decoded.
  static func advice(for candidate: QRReader.Candidate, in view: ImageView) -> UnreadCode.Advice? {
    let corners = candidate.grid.corners
    let (low, high) = (corners.bounds.min, corners.bounds.max)
    let (width, height) = (Double(view.width), Double(view.height))
    if low.x < -1 || low.y < -1 || high.x > width || high.y > height {
      return (high.x - low.x) * (high.y - low.y) > 0.8 * width * height ? .tooClose : .cutOff
    }
    let side = Double(candidate.grid.layout.side)
    let module = abs(corners.signedArea).squareRoot() / side
    if module < 2 { return .tooSmall }
    let tones = Tones(view, low, high)
    if tones.dark >= 235 || tones.clipped > 0.35 { return .tooBright }
    if tones.light <= 60 { return .tooDark }
    // A sharp edge takes about a pixel; one that takes half a module or more leaves no middle to sample.
    return tones.steepest < 0.5 * (tones.light - tones.dark) / max(1, module / 2) ? .blurred : nil
  }

  /// For another matrix code that was found but not decoded.
  static func advice(for finding: MatrixDetection, in view: ImageView) -> UnreadCode.Advice? {
    let (low, high) = (finding.corners.bounds.min, finding.corners.bounds.max)
    if low.x < -1 || low.y < -1 || high.x > Double(view.width) || high.y > Double(view.height) { return .cutOff }
    if finding.module < 2 { return .tooSmall }
    if ModuleFloodFill.runsOut(of: view, from: finding.corners, module: finding.module) { return .cutOff }
    let tones = Tones(view, low, high)
    if tones.dark >= 235 || tones.clipped > 0.6 { return .tooBright }
    if tones.light <= 60 { return .tooDark }
    return tones.steepest < 0.5 * (tones.light - tones.dark) / max(1, finding.module / 2) ? .blurred : nil
  }

  /// For finder patterns of a QR code of which no grid could be laid.
  static func advice(for trace: FinderTrace, in view: ImageView) -> UnreadCode.Advice? {
    let module = trace.marks.map(\.module).reduce(0, +) / Double(trace.marks.count)
    if module < 2 { return .tooSmall }
    // The smallest code has 21 modules: where fewer fit between a lone pattern and two sides of the picture, the rest
    // lies outside.
    let (width, height) = (Double(view.width), Double(view.height))
    if trace.marks.count == 1, let p = trace.marks.first?.center {
      let room = 17.5 * module
      let across = p.x < room || p.x > width - room
      let down = p.y < room || p.y > height - room
      if across && down || min(width, height) < 21 * module { return .cutOff }
    }
    if leavesPicture(trace, in: view) || ModuleFloodFill.runsOut(of: view, from: trace.corners, module: module) {
      return .cutOff
    }
    let bounds = trace.corners.bounds
    let margin = Point2(8, 8) * module
    let tones = Tones(view, bounds.min - margin, bounds.max + margin)
    if tones.dark >= 235 || tones.clipped > 0.5 { return .tooBright }
    if tones.light <= 60 { return .tooDark }
    return tones.steepest < 0.5 * (tones.light - tones.dark) / max(1, module / 2) ? .blurred : nil
  }

  /// Returns whether the third pattern of a code of which two can be seen lies outside the picture. Where it would lie inside on the
  /// other side, in full white, that is the reason that it was not seen.
  private static func leavesPicture(_ trace: FinderTrace, in view: ImageView) -> Bool {
    guard trace.marks.count == 2 else { return false }
    let (a, b) = (trace.marks[0].center, trace.marks[1].center)
    let across = Point2(a.y - b.y, b.x - a.x)
    let reach = 3.5 * max(trace.marks[0].module, trace.marks[1].module)
    var leaves = false
    for side in [across, -across] {
      let thirds = [a + side, b + side]
      let inside = thirds.allSatisfy { p in
        p.x > reach && p.y > reach && p.x < Double(view.width) - reach && p.y < Double(view.height) - reach
      }
      if !inside { leaves = true }
      let glares = thirds.contains { p in
        inside && Tones(view, p - Point2(reach, reach), p + Point2(reach, reach)).clipped > 0.9
      }
      if glares { return false }
    }
    return leaves
  }

  /// For a 1-D code that was seen but not read for certain.
  static func advice(forBars corners: Quadrilateral, in view: ImageView) -> UnreadCode.Advice? {
    let (low, high) = (corners.bounds.min, corners.bounds.max)
    if low.x < 4 || low.y < 0 || high.x > Double(view.width) - 5 || high.y > Double(view.height) { return .cutOff }
    let tones = Tones(view, low, high)
    if tones.dark >= 235 || tones.clipped > 0.6 { return .tooBright }
    if tones.light <= 60 { return .tooDark }
    // The shortest of the common codes has 67 modules, most about a hundred.
    if max(high.x - low.x, high.y - low.y) < 130 { return .tooSmall }
    return tones.steepest < 0.25 * (tones.light - tones.dark) ? .blurred : nil
  }

  /// The range of brightness in a part of a picture.
  private struct Tones {
    /// The 5th and 95th percentile.
    var dark = 0.0
    var light = 255.0
    /// The share of pixels at full white.
    var clipped = 0.0
    /// The 98th percentile of differences between neighbours.
    var steepest = 0.0

    init(_ view: ImageView, _ low: Point2, _ high: Point2) {
      var (histogram, steps) = (GrayHistogram(), GrayHistogram())
      let (x0, x1) = (max(0, Int(low.x)), min(view.width - 2, Int(high.x)))
      let (y0, y1) = (max(0, Int(low.y)), min(view.height - 1, Int(high.y)))
      guard x0 < x1, y0 < y1 else { return }
      for y in stride(from: y0, through: y1, by: 2) {
        let row = view.row(y)
        for x in x0...x1 {
          histogram.add(row[x])
          steps.add(UInt8(abs(Int(row[x + 1]) - Int(row[x]))))
        }
      }
      dark = Self.percentile(histogram, 0.05)
      light = Self.percentile(histogram, 0.95)
      clipped = Double(histogram.counts[254] + histogram.counts[255]) / Double(max(1, histogram.total))
      steepest = Self.percentile(steps, 0.98)
    }

    private static func percentile(_ histogram: GrayHistogram, _ share: Double) -> Double {
      let wanted = share * Double(histogram.total)
      return Double(histogram.level(reaching: Int(wanted.rounded(.up))) ?? 255)
    }
  }
}
