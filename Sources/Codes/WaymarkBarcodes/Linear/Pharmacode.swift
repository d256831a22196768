import WaymarkImage

/// Reads Pharmacode (Laetus) with one track. `TwoTrackPharmacode` below reads it with two tracks.
enum Pharmacode {
  /// Decodes a line. A symbol has two to sixteen bars; a narrow bar is half as wide as a space, a wide bar 1.5 times as wide. The
  /// value is a sum: the n-th bar from the right, counted from 0, adds 2ⁿ if it is narrow, and 2ⁿ⁺¹ if it is wide.
  static func read(_ line: LinearLine) -> LinearRead? {
    let w = line.widths
    var start = 0
    while start < w.count {
      // Extends the symbol until a space is too wide for its bars.
      var last = start
      while last + 2 < w.count, w[last + 1] < 2.5 * max(w[last], w[last + 2]) { last += 2 }
      let bars = stride(from: start, through: last, by: 2).map { w[$0] }
      let spaces = stride(from: start + 1, to: last, by: 2).map { w[$0] }
      if (2...16).contains(bars.count), let space = spaces.sorted().dropFirst(spaces.count / 2).first,
        spaces.allSatisfy({ abs($0 - space) < 0.35 * space }),
        bars.allSatisfy({ $0 < 0.8 * space || $0 > 1.2 * space }),
        bars.allSatisfy({ $0 > 0.2 * space && $0 < 2.4 * space }),
        line.isQuiet(before: start, 3 * space), line.isQuiet(after: last, 3 * space)
      {
        let value = bars.reduce(0) { 2 * $0 + ($1 > space ? 2 : 1) }
        if (3...131_070).contains(value) {
          return LinearRead(symbology: .pharmacode, bytes: Array(String(value).utf8), first: start, last: last)
        }
      }
      start = last + 2
    }
    return nil
  }
}

// MARK: - Two tracks

/// Reads Pharmacode (Laetus) with two tracks: bars of one width in the lower track, in the upper one, or in both.
///
/// A symbol has no check and no start and stop patterns, so it is read upright or, if it is vertical, upwards. Symbols of fewer
/// than six bars are refused, and so are bars that are all alike, because their track is unknown.
struct TwoTrackPharmacode {
  /// The numbers of bars of a symbol.
  private static let bars = 6...16
  /// The number of bands across the bars, and the height that they cover, as a multiple of the height of the region.
  private static let (bands, reach) = (32, 2.0)
  /// The largest deviation of a bar or a space from the median, as a share of it.
  private static let uneven = 0.45
  /// The least width of the light beside a symbol, as a multiple of the width of a bar and a space together.
  private static let quiet = 2.0
  /// The largest distance of an end of a bar from the end of its track, as a share of the height of both tracks.
  private static let slack = 0.14

  /// Reads the symbol in a region of bars; `nil` if the bars are not of a symbol.
  ///
  /// - Parameter tone: prepares the tones of a strip, such as inverting them for codes light on dark.
  static func read(
    _ region: BarRegion, _ tone: (GrayImage) -> GrayImage, _ pass: ScanPass, _ image: ImageView
  ) -> Symbol? {
    var region = region
    // Regions are directed to the right or downwards, but a vertical symbol is read upwards.
    if abs(region.direction.x) <= 0.01 { region.direction = -region.direction }
    var high = region
    high.height *= reach
    let strip = BarStrip(high, bands: bands, margin: 0.5, depth: 3)
    // Bands outside of the picture count as light.
    let isInside = (0..<bands).map { band -> Bool in
      let place = strip.place(Double(strip.width) / 2, Double(band) + 0.5)
      return place.x > -1 && place.y > -1 && place.x < Double(image.width) && place.y < Double(image.height)
    }
    guard
      let (value, from, to) = tone(strip.draw(image)).withView({ view -> (Int, Double, Double)? in
        let tracks = Self(view, isInside)
        guard let value = tracks.value(0.5), let line = tracks.line, tracks.value(0.4) == value,
          tracks.value(0.6) == value
        else { return nil }
        return (value, line.edges[0], line.edges[line.edges.count - 1])
      })
    else { return nil }
    let text = String(value)
    let outline = BarStrip(region)
    let (left, right) = (outline.column(of: strip.place(from, 0)), outline.column(of: strip.place(to, 0)))
    return Symbol(
      symbology: .pharmacode2, text: text, bytes: Array(text.utf8), charset: .ascii,
      corners: outline.rectangle(min(left, right)...max(left, right)), pass: pass)
  }

  /// The runs of the bars of both tracks together; `nil` if they are not a symbol.
  private let line: LinearLine?
  /// The tones of each bar in each band.
  private let tones: [[Double]]

  private init(_ view: ImageView, _ isInside: [Bool]) {
    let (width, rows) = (view.width, view.height / 2)
    // Takes the mean of the darkest bands in each column, which shows the bars of either track.
    let inside = (0..<rows).filter { isInside[$0] }
    var darkest = [Int](repeating: 0, count: max(1, min(inside.count, rows / 8)))
    let union = GrayImage(width: width, height: 1) { pixels in
      for x in 0..<width {
        for i in darkest.indices { darkest[i] = 255 }
        for row in inside {
          var level = Int(view[x, 2 * row])
          for i in darkest.indices where level < darkest[i] { swap(&level, &darkest[i]) }
        }
        pixels[x] = UInt8(darkest.reduce(0, +) / darkest.count)
      }
    }
    let line = union.withView { LinearLine($0, row: 0) }.flatMap(Self.symbol)
    self.line = line
    tones = stride(from: 0, to: line?.widths.count ?? 0, by: 2).map { run in
      guard let line else { return [] }
      let middle = (line.edges[run] + line.edges[run + 1]) / 2
      let half = max(0.5, line.widths[run] / 4)
      let columns = max(0, Int((middle - half).rounded()))...min(width - 1, Int((middle + half).rounded()))
      return (0..<rows).map { row in
        !isInside[row] ? 255 : columns.reduce(0.0) { $0 + Double(view[$1, 2 * row]) } / Double(columns.count)
      }
    }
  }

  /// Returns the runs of a line between two quiet zones, if they are as many as in a symbol, with all bars of one width and all
  /// spaces of one width; otherwise `nil`.
  private static func symbol(_ line: LinearLine) -> LinearLine? {
    let w = line.widths
    var start = 0
    while start < w.count {
      var last = start
      while last + 2 < w.count, w[last + 1] < 2 * max(w[last], w[last + 2]) { last += 2 }
      let (own, spaces) = (
        stride(from: start, through: last, by: 2).map { w[$0] }, stride(from: start + 1, to: last, by: 2).map { w[$0] }
      )
      let (bar, space) = (own.sorted()[own.count / 2], spaces.sorted().dropFirst(spaces.count / 2).first ?? 0)
      if bars.contains(own.count), bar < 2.2 * space, space < 2.2 * bar,
        own.allSatisfy({ abs($0 - bar) < uneven * bar }), spaces.allSatisfy({ abs($0 - space) < uneven * space }),
        line.isQuiet(before: start, quiet * (bar + space)), line.isQuiet(after: last, quiet * (bar + space))
      {
        return LinearLine(edges: Array(line.edges[start...(last + 1)]), length: line.edges[last + 1])
      }
      start = last + 2
    }
    return nil
  }

  /// Returns the value; `nil` if the contrast is at most 20 gray levels, if a bar does not begin and end where its track does, or if all
  /// bars are alike.
  ///
  /// - Parameter share: the limit between dark and light, as a share of their difference.
  private func value(_ share: Double) -> Int? {
    let all = tones.flatMap { $0 }.sorted()
    guard let darkest = all.first, let lightest = all.last, lightest - darkest > 20 else { return nil }
    let limit = darkest + share * (lightest - darkest)
    var ends: [ClosedRange<Double>] = []
    for bar in tones {
      let dark = bar.indices.filter { bar[$0] < limit }
      guard let first = dark.first, let last = dark.last, last - first + 1 == dark.count else { return nil }
      ends.append(Double(first)...Double(last + 1))
    }
    guard let top = ends.map(\.lowerBound).min(), let bottom = ends.map(\.upperBound).max(),
      bottom - top >= Double(Self.bands) / 5, top > 0, bottom < Double(Self.bands)
    else { return nil }
    let (middle, slack) = ((top + bottom) / 2, Self.slack * (bottom - top) + 0.5)
    let digits = ends.compactMap { bar -> Int? in
      let (isHigh, isLow) = (bar.lowerBound - top < slack, bottom - bar.upperBound < slack)
      if isHigh, isLow { return 3 }
      if isHigh, abs(bar.upperBound - middle) < slack { return 2 }
      return isLow && abs(bar.lowerBound - middle) < slack ? 1 : nil
    }
    guard digits.count == tones.count, Set(digits).count > 1 else { return nil }
    return digits.reduce(0) { 3 * $0 + $1 }
  }
}
