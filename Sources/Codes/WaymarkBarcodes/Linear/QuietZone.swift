import WaymarkImage

/// The quiet zone of a symbology of which a part may be a valid symbol: the light beside the bars shows that no bar is missing.
struct QuietZone {
  /// The width that the standard prescribes, in modules.
  let modules: Double
  /// One of so many bars, and of so many spaces, is narrow in every symbol.
  var narrowest = 2

  /// The share of the quiet zone that must be light before the next bars, less than 1 because of blur and pixel sampling, and before
  /// the border of the picture, where labels are cropped closer.
  private static let share = (bars: 0.97, border: 0.78)
  /// The end of a label: at least `light` modules of light, then a dark run of at least `modules` modules that is at least `bars`
  /// times as wide as the widest bar.
  private static let ground = (light: 1.5, modules: 5.0, bars: 1.6)
  /// The number of runs at the end of a symbol from which its module is measured.
  private static let measured = 30

  /// Returns whether there is a quiet zone on both sides of the runs of a symbol.
  func holds(_ line: LinearLine, first: Int, last: Int) -> Bool {
    let count = min(Self.measured, last - first + 1)
    return lies(beside: first, towards: -1, runs: count, line) && lies(beside: last, towards: 1, runs: count, line)
  }

  /// Returns whether there is a quiet zone between a dark run, the last one of a symbol, and the next dark run or the end of the
  /// picture.
  ///
  /// - Parameters:
  ///   - step: 1 towards the end of the line, -1 towards its beginning.
  ///   - runs: the number of runs from `run` in the opposite direction that certainly belong to the symbol.
  private func lies(beside run: Int, towards step: Int, runs: Int, _ line: LinearLine) -> Bool {
    let inner = (0..<runs).map { line.widths[run - step * $0] }
    let (bars, spaces) = (
      stride(from: 0, to: runs, by: 2).map { inner[$0] }, stride(from: 1, to: runs, by: 2).map { inner[$0] }
    )
    // Ink spread makes bars wider and spaces narrower.
    let module = (narrow(bars) + narrow(spaces)) / 2
    let (edge, next) = step > 0 ? (run + 1, run + 2) : (run, run - 1)
    let hasNext = line.edges.indices.contains(next)
    let end = hasNext ? line.edges[next] : step > 0 ? line.visible.upperBound : line.visible.lowerBound
    let light = Double(step) * (end - line.edges[edge])
    if light >= (hasNext ? Self.share.bars : Self.share.border) * modules * module { return true }
    return hasNext && light >= Self.ground.light * module
      && line.widths[run + 2 * step] >= max(Self.ground.modules * module, Self.ground.bars * (bars.max() ?? 0))
  }

  /// Returns the mean of the narrow widths: those below 1.6 times the mean of the narrowest ones.
  private func narrow(_ widths: [Double]) -> Double {
    let lower = widths.sorted().prefix((widths.count + narrowest - 1) / narrowest)
    let limit = 1.6 * lower.reduce(0, +) / Double(max(1, lower.count))
    let narrow = widths.filter { $0 < limit }
    return narrow.reduce(0, +) / Double(max(1, narrow.count))
  }

  // MARK: Codes of libzbar

  /// Returns whether there is a quiet zone on both sides of a code of libzbar, in half of the scan lines that ended on that side.
  ///
  /// - Parameter visible: returns the part of a row inside the picture.
  func surrounds(_ code: ZBarScanner.Raw, in view: ImageView, visible: ((_ row: Int) -> ClosedRange<Double>)?) -> Bool {
    var sides = [(held: 0, seen: 0), (held: 0, seen: 0)]
    for (line, at) in code.lines(in: view, visible: visible) {
      guard let edge = line.edges.indices.min(by: { abs(line.edges[$0] - at) < abs(line.edges[$1] - at) }) else {
        continue
      }
      let isEnd = !edge.isMultiple(of: 2)
      let run = isEnd ? edge - 1 : edge
      let inner = isEnd ? run + 1 : line.widths.count - run
      guard inner >= Self.measured / 2 else { continue }
      let side = isEnd ? 1 : 0
      sides[side].seen += 1
      if lies(beside: run, towards: isEnd ? 1 : -1, runs: min(inner, Self.measured), line) { sides[side].held += 1 }
    }
    return sides.allSatisfy { $0.held > 0 && 2 * $0.held >= $0.seen }
  }
}

extension ZBarScanner.Raw {
  /// The number of scan lines of a code to check.
  private static let checked = 40

  /// Returns scan lines in which libzbar read the code, and the position where each of them left it.
  func lines(
    in view: ImageView, visible: ((_ row: Int) -> ClosedRange<Double>)?
  ) -> [(line: LinearLine, at: Double)] {
    let along = points.map { isAlongRows ? $0.x : $0.y }
    guard let first = along.min(), let last = along.max() else { return [] }
    // About fifteen modules of the shortest codes, in pixels.
    let window = max(60, 0.15 * (last - first))
    // An odd step, because the lines alternate in direction.
    return stride(from: 0, to: points.count, by: points.count / Self.checked | 1).compactMap { i in
      let (x, y) = (Int(points[i].x), Int(points[i].y))
      guard x >= 0, y >= 0, x < view.width, y < view.height else { return nil }
      let line =
        isAlongRows
        ? LinearLine(view, row: y, window: window, visible: visible?(y)) : LinearLine(view, column: x, window: window)
      return line.map { ($0, along[i]) }
    }
  }

  // MARK: Known misreadings

  /// Returns the code as the readers of this module decode it, for the symbologies that libzbar is known to misread; nil if they
  /// decode another one.
  ///
  /// libzbar ignores FNC4 in a Code 128, and corrupts text after a separator of a DataBar Expanded.
  func verified(in view: ImageView, visible: ((_ row: Int) -> ClosedRange<Double>)?) -> ZBarScanner.Raw? {
    switch symbology {
    case .code128:
      var isRead = false
      for (line, _) in lines(in: view, visible: visible) {
        guard
          let read = Code128Line.read(isUpsideDown ? line.reversed : line)
            ?? Code128Line.read(isUpsideDown ? line : line.reversed)
        else { continue }
        isRead = true
        guard read.bytes.map({ $0 & 0x7F }) == bytes else { continue }
        var other = self
        other.bytes = read.bytes
        return other
      }
      return isRead ? nil : self
    case .dataBarExpanded:
      var reader = DataBarExpandedReader()
      for (line, _) in lines(in: view, visible: visible) { reader.add([line]) }
      return reader.read().map { Array($0.text.utf8) } == bytes ? self : nil
    default: return self
    }
  }
}
