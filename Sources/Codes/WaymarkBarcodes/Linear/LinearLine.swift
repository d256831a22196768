import WaymarkImage

/// The dark and light runs along one line across bars. The file also has the symbol decoded from a line (`LinearRead`), and the
/// tables of decoders: `LinearReaders` for symbologies that libzbar does not decode, `CrowdedReaders` for labels cut closer than
/// libzbar requires.
package struct LinearLine {
  /// The widths of the runs in pixels of the strip; the first and the last run are dark.
  package let widths: [Double]
  /// The position of the start of each run, and of the end of the last run, in pixels from the start of the line.
  package let edges: [Double]
  /// The length of the line in pixels, with quiet zones.
  private let length: Double
  /// The part of the line inside the picture: beyond it a strip repeats the border of the picture.
  let visible: ClosedRange<Double>

  /// - Parameters:
  ///   - edges: the positions where dark runs begin and end, alternately, in pixels from the start of the line; an even number.
  ///   - length: the length of the line, in pixels.
  ///   - visible: the part of the line inside the picture; nil for all of it.
  package init(edges: [Double], length: Double, visible: ClosedRange<Double>? = nil) {
    let shown = visible ?? -0.5...(length - 0.5)
    let edges = visible == nil ? edges : Self.clipped(edges, to: shown)
    self.edges = edges
    self.length = length
    self.visible = shown
    widths = zip(edges, edges.dropFirst()).map { $1 - $0 }
  }

  /// Returns the edges of the dark runs inside a part of a line.
  private static func clipped(_ edges: [Double], to range: ClosedRange<Double>) -> [Double] {
    stride(from: 0, to: edges.count - 1, by: 2).flatMap { i -> [Double] in
      let (from, to) = (max(edges[i], range.lowerBound), min(edges[i + 1], range.upperBound))
      return to > from ? [from, to] : []
    }
  }

  /// The line from its other end.
  package var reversed: LinearLine {
    LinearLine(
      edges: edges.reversed().map { length - $0 }, length: length,
      visible: (length - visible.upperBound)...(length - visible.lowerBound))
  }

  /// Returns whether the light before the dark run at index `run` is at least `quiet` pixels wide.
  package func isQuiet(before run: Int, _ quiet: Double) -> Bool {
    // A quiet zone that is cut off at the end of the line has the width of the part that is left.
    (run == 0 ? edges[0] : widths[run - 1]) >= quiet
  }

  /// Returns whether the light after the dark run at index `run` is at least `quiet` pixels wide.
  package func isQuiet(after run: Int, _ quiet: Double) -> Bool {
    (run + 1 >= widths.count ? length - edges[edges.count - 1] : widths[run + 1]) >= quiet
  }
}

// MARK: - Decoded lines

/// The symbol that was decoded from a line.
package struct LinearRead: Hashable {
  package var symbology: Symbology
  package var bytes: [UInt8]
  /// The index of the first run of the symbol; `last` is the index of the last run.
  package var first: Int
  package var last: Int
  /// True if the content begins with FNC1: it consists of GS1 element strings.
  package var isGS1 = false
  /// The symbology of the 2-D component that the symbol declares above it: `microPDF417` for CC-A and CC-B, `pdf417` for CC-C.
  package var component: Symbology?

  /// Returns the symbol with the run indices of `line`; if `isReversed` is true, it was decoded from the reversed copy of the line.
  func placed(on line: LinearLine, isReversed: Bool) -> LinearRead {
    guard isReversed else { return self }
    var other = self
    let end = line.widths.count - 1
    (other.first, other.last) = (end - last, end - first)
    return other
  }
}

// MARK: - Lines of a picture

extension LinearLine {
  /// Finds the runs along a row of a picture; `nil` if fewer than two are dark.
  ///
  /// - Parameters:
  ///   - row: a row of a picture in which the bars are vertical.
  ///   - window: the radius in pixels of the neighbourhood that determines the threshold between dark and light.
  ///   - visible: the part of the row inside the picture; nil for all of it.
  init?(_ view: ImageView, row: Int, window: Double = 60, visible: ClosedRange<Double>? = nil) {
    let y = Double(row)
    let line = ScanLine(view, from: [0, y], to: [Double(view.width) - 1, y], window: window)
    self.init(line, length: Double(view.width), visible)
  }

  /// Finds the runs along a column; nil if fewer than two are dark.
  init?(_ view: ImageView, column: Int, window: Double = 60) {
    let x = Double(column)
    let line = ScanLine(view, from: [x, 0], to: [x, Double(view.height) - 1], window: window)
    self.init(line, length: Double(view.height), nil)
  }

  private init?(_ line: ScanLine, length: Double, _ visible: ClosedRange<Double>?) {
    var edges = line.edges
    if !edges.count.isMultiple(of: 2) { edges.removeLast() }
    self.init(edges: edges, length: length, visible: visible)
    guard self.edges.count >= 4 else { return nil }
  }

  /// Finds the runs along a row from its local extremes. An edge is where the brightness is halfway between two extremes, so that
  /// bars that merge with their neighbours keep their edges. `nil` if fewer than two runs are dark.
  ///
  /// - Parameters:
  ///   - row: a row of a picture in which the bars are vertical.
  ///   - visible: the part of the row inside the picture; nil for all of it.
  init?(turnsOf view: ImageView, row: Int, visible: ClosedRange<Double>? = nil) {
    let pixels = view.row(row)
    let width = view.width
    guard width >= 8 else { return nil }
    // Computes the contrast by blocks, so that the cost does not grow with the window.
    let block = 24
    let ranges = stride(from: 0, to: width, by: block).map { from in
      let part = UnsafeBufferPointer(start: pixels + from, count: min(block, width - from))
      return (low: Int(part.min() ?? 0), high: Int(part.max() ?? 0))
    }
    // Changes of less than `noise` gray levels are noise. A change must also be at least `share` of the contrast near by.
    let (noise, share) = (6, 0.18)
    let least = ranges.indices.map { b in
      let near = ranges[max(0, b - 2)...min(ranges.count - 1, b + 2)]
      let contrast = near.reduce(0) { max($0, $1.high) } - near.reduce(255) { min($0, $1.low) }
      return max(noise, Int(share * Double(contrast)))
    }
    var turns: [(at: Int, level: Int)] = []
    var (extreme, isRising) = ((at: 0, level: Int(pixels[0])), true)
    for x in 1..<width {
      let level = Int(pixels[x])
      if isRising ? level >= extreme.level : level <= extreme.level {
        extreme = (x, level)
      } else if abs(level - extreme.level) >= least[x / block] {
        turns.append(extreme)
        extreme = (x, level)
        isRising.toggle()
      }
    }
    turns.append(extreme)
    var edges: [Double] = []
    for (from, to) in zip(turns, turns.dropFirst()) {
      let middle = Double(from.level + to.level) / 2
      let isFalling = to.level < from.level
      let crossing = (from.at..<to.at).first { (Double(pixels[$0 + 1]) < middle) == isFalling }
      guard let x = crossing else { return nil }
      let step = Double(pixels[x + 1]) - Double(pixels[x])
      edges.append(step == 0 ? Double(x) : Double(x) + min(max((middle - Double(pixels[x])) / step, 0), 1))
    }
    if !edges.count.isMultiple(of: 2) { edges.removeLast() }
    self.init(edges: edges, length: Double(width), visible: visible)
    guard self.edges.count >= 4 else { return nil }
  }
}

// MARK: - Decoders

/// Decodes lines of the 1-D symbologies that libzbar does not decode. Except for DataBar Limited they have weak checks or none, so
/// they are read only on request.
enum LinearReaders {
  static let symbologies = Set(Symbology.allCases.filter { $0.row.linear?.read != nil })

  /// Decodes a line in both directions, by the readers of all `wanted` symbologies.
  ///
  /// - Parameter isBackward: true if the line runs to the left in the picture, or downwards if it is vertical.
  static func read(_ line: LinearLine, _ wanted: Set<Symbology>, isBackward: Bool) -> [LinearRead] {
    let back = line.reversed
    return wanted.flatMap { symbology -> [LinearRead] in
      guard let rules = symbology.row.linear, let read = rules.read else { return [] }
      let ways = rules.readsBothWays ? [false, true] : [isBackward]
      return ways.compactMap { isReversed in
        guard let own = read(isReversed ? back : line)?.placed(on: line, isReversed: isReversed) else { return nil }
        return rules.zone(of: own.bytes)?.holds(line, first: own.first, last: own.last) == false ? nil : own
      }
    }
  }
}

/// Decodes lines of some symbologies of libzbar if libzbar reads nothing: it requires eight light modules on either side, and
/// labels are often cut closer. These decoders require start and stop characters and uniform elements instead.
package enum CrowdedReaders {
  /// The content of a symbol that was decoded from a line.
  package struct Content: Hashable {
    package var symbology: Symbology
    package var bytes: [UInt8]
    /// True if the content begins with FNC1: it consists of GS1 element strings.
    package var isGS1: Bool
  }

  /// The content of a symbol and its position in the line.
  package struct Found {
    package var content: Content
    /// The outer edges of its first and its last bar, in pixels of the line.
    package var from: Double
    package var to: Double
    /// True if it was read towards the beginning of the line.
    package var isReversed: Bool
  }

  package static let symbologies = Set(Symbology.allCases.filter { $0.row.linear?.readCrowded != nil })

  /// The number of runs of the shortest symbols that are read: ITF with six digits, Code 128 with three characters.
  private static let fewestRuns = 37

  /// Decodes a line in both directions, by the readers of all `wanted` symbologies.
  package static func read(_ line: LinearLine, _ wanted: Set<Symbology>) -> [Found] {
    guard line.widths.count >= fewestRuns else { return [] }
    let readers = wanted.compactMap { symbology in
      symbology.row.linear.flatMap { rules in rules.readCrowded.map { (read: $0, rules: rules) } }
    }
    return [(line, false), (line.reversed, true)].flatMap { way, isReversed in
      readers.compactMap { reader in
        guard let own = reader.read(way)?.placed(on: line, isReversed: isReversed),
          reader.rules.zone(of: own.bytes)?.holds(line, first: own.first, last: own.last) != false
        else { return nil }
        return Found(
          content: Content(symbology: own.symbology, bytes: own.bytes, isGS1: own.isGS1), from: line.edges[own.first],
          to: line.edges[own.last + 1], isReversed: isReversed)
      }
    }
  }
}
