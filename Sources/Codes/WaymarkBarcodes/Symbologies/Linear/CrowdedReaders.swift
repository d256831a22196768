/// Code 128, Code 39 and ITF along a line, where libzbar reads none: it asks for eight modules of light on either side, and labels are
/// cut closer than that. Here start, stop and what elements have in common must do.
package enum CrowdedReaders {
  /// The content of a line.
  package struct Content: Hashable {
    package var symbology: Symbology
    package var bytes: [UInt8]
    /// FNC1 stands first: the content is GS1 element strings.
    package var isGS1: Bool
  }

  /// A content and where it stands.
  package struct Found {
    package var content: Content
    /// Where its first and its last bar end, in pixels of the line.
    package var from: Double
    package var to: Double
    /// True if it runs to the beginning of the line.
    package var isReversed: Bool
  }

  package static let symbologies: Set<Symbology> = [.code128, .code39, .itf]

  /// Decodes a line from either end.
  package static func read(_ line: LinearLine, _ wanted: Set<Symbology>) -> [Found] {
    guard line.widths.count >= fewestRuns else { return [] }
    var found: [Found] = []
    for (way, isReversed) in [(line, false), (line.reversed, true)] {
      // Three characters at least: of fewer there are some in any bars.
      if wanted.contains(.code128), let read = Code128Line.read(way, characters: 3) {
        found.append(Self.found(read, line, isReversed))
      }
      if wanted.contains(.code39), let read = code39(way) { found.append(Self.found(read, line, isReversed)) }
      if wanted.contains(.itf), let read = itf(way) { found.append(Self.found(read, line, isReversed)) }
    }
    return found
  }

  /// No symbol of three characters has fewer: ITF, with six digits.
  private static let fewestRuns = 37

  private static func found(_ read: LinearRead, _ line: LinearLine, _ isReversed: Bool) -> Found {
    let own = LinearReaders.flip(read, line, isReversed)
    return Found(
      content: Content(symbology: own.symbology, bytes: own.bytes, isGS1: own.isGS1), from: line.edges[own.first],
      to: line.edges[own.last + 1], isReversed: isReversed)
  }

  // MARK: Code 39

  /// Three of nine elements of a character are wide (ISO/IEC 16388). The start character tells how wide, for bars and for spaces, which
  /// ink and blur change in opposite ways.
  private static func code39(_ line: LinearLine) -> LinearRead? {
    let w = line.widths
    // Start, stop and three characters.
    guard w.count >= 49 else { return nil }
    for start in stride(from: 0, through: w.count - 49, by: 2) {
      guard let limits = Limits(start: w, at: start), line.isQuiet(before: start, 1.6 * limits.narrowBar) else {
        continue
      }
      var bytes: [UInt8] = []
      var at = start + 10
      var length = limits.length
      while at + 9 <= w.count {
        let own = w[at..<(at + 9)].reduce(0, +)
        let gap = w[at - 1] * limits.length / own
        // From character to character a lens changes little.
        guard abs(own - length) < 0.2 * length, gap < 1.5 * limits.wideSpace, gap > 0.4 * limits.narrowSpace,
          let character = character(w, at, limits, limits.length / own)
        else { break }
        if character == asterisk {
          guard bytes.count >= 3, line.isQuiet(after: at + 8, 1.6 * limits.narrowBar) else { break }
          return LinearRead(symbology: .code39, bytes: bytes, first: start, last: at + 8)
        }
        bytes.append(character)
        length = own
        at += 10
      }
    }
    return nil
  }

  /// How wide elements are, by the start character of a Code 39.
  private struct Limits {
    var narrowBar: Double
    var narrowSpace: Double
    var wideSpace: Double
    /// Between narrow and wide.
    var bar: Double
    var space: Double
    /// Of the whole character.
    var length: Double

    init?(start w: [Double], at i: Int) {
      narrowBar = (w[i] + w[i + 2] + w[i + 8]) / 3
      let wideBar = (w[i + 4] + w[i + 6]) / 2
      narrowSpace = (w[i + 3] + w[i + 5] + w[i + 7]) / 3
      wideSpace = w[i + 1]
      guard wideBar > 1.5 * narrowBar, wideSpace > 1.5 * narrowSpace, wideBar < 5 * narrowBar,
        wideSpace < 5 * narrowSpace
      else { return nil }
      bar = (narrowBar + wideBar) / 2
      space = (narrowSpace + wideSpace) / 2
      guard max(w[i], w[i + 2], w[i + 8]) < 0.92 * bar, min(w[i + 4], w[i + 6]) > 1.08 * bar,
        max(w[i + 3], w[i + 5], w[i + 7]) < 0.92 * space
      else { return nil }
      length = w[i..<(i + 9)].reduce(0, +)
    }
  }

  private static func character(_ w: [Double], _ at: Int, _ limits: Limits, _ scale: Double) -> UInt8? {
    var wide = 0
    for i in 0..<9 {
      let limit = i.isMultiple(of: 2) ? limits.bar : limits.space
      let width = w[at + i] * scale
      // An element between both says nothing.
      guard abs(width - limit) > 0.08 * limit else { return nil }
      wide = wide << 1 | (width > limit ? 1 : 0)
    }
    return code39Patterns[wide]
  }

  private static let asterisk = UInt8(ascii: "*")

  /// The characters by their wide elements, the first element as the highest of nine bits.
  private static let code39Patterns: [Int: UInt8] = {
    let codes = [
      0x034, 0x121, 0x061, 0x160, 0x031, 0x130, 0x070, 0x025, 0x124, 0x064, 0x109, 0x049, 0x148, 0x019, 0x118, 0x058,
      0x00D, 0x10C, 0x04C, 0x01C, 0x103, 0x043, 0x142, 0x013, 0x112, 0x052, 0x007, 0x106, 0x046, 0x016, 0x181, 0x0C1,
      0x1C0, 0x091, 0x190, 0x0D0, 0x085, 0x184, 0x0C4, 0x0A8, 0x0A2, 0x08A, 0x02A, 0x094,
    ]
    return Dictionary(uniqueKeysWithValues: zip(codes, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-. $/+%*".utf8))
  }()

  // MARK: ITF

  /// Pairs of digits, one in the bars and one in the spaces, two of five wide (ISO/IEC 16390). Every stripe is a digit of some kind, so
  /// all narrow elements of a symbol must be narrower than all wide ones, and light must stand on both sides that is wider than any space
  /// of it: what is longer is not read in part.
  private static func itf(_ line: LinearLine) -> LinearRead? {
    let w = line.widths
    for start in stride(from: 0, through: w.count - 37, by: 2) {
      let (bar, space) = ((w[start] + w[start + 2]) / 2, (w[start + 1] + w[start + 3]) / 2)
      guard abs(w[start] - w[start + 2]) < 0.6 * bar, abs(w[start + 1] - w[start + 3]) < 0.6 * space,
        bar < 2.5 * space, space < 2.5 * bar, line.isQuiet(before: start, 2 * max(bar, space))
      else { continue }
      var pairs = Pairs()
      var at = start + 4
      while at + 2 < w.count {
        if line.isQuiet(after: at + 2, pairs.quiet) {
          guard pairs.bytes.count >= 6, line.isQuiet(before: start, pairs.quiet), pairs.stops(w, at),
            pairs.holds(bar: bar, space: space)
          else { break }
          return LinearRead(symbology: .itf, bytes: pairs.bytes, first: start, last: at + 2)
        }
        guard at + 12 < w.count, pairs.take(w, at) else { break }
        at += 10
      }
    }
    return nil
  }

  /// The pairs of digits of an ITF so far, and how wide their elements are, in pixels of the first pair.
  private struct Pairs {
    var bytes: [UInt8] = []
    /// The width that light beside a symbol must exceed.
    var quiet: Double {
      bytes.isEmpty ? .infinity : max(1.2 * widest.wide[1], 3 * widest.narrow[1]) * last / first
    }
    /// The widest narrow bar and space, and the narrowest wide ones.
    private var widest = (narrow: [0.0, 0.0], wide: [0.0, 0.0])
    private var narrowest = (narrow: [Double.infinity, .infinity], wide: [Double.infinity, .infinity])
    private var first = 0.0
    private var last = 0.0

    /// Takes a pair; false if there is none.
    mutating func take(_ w: [Double], _ at: Int) -> Bool {
      let own = w[at..<(at + 10)].reduce(0, +)
      if first == 0 { (first, last) = (own, own) }
      guard abs(own - last) < 0.2 * last else { return false }
      last = own
      for kind in 0..<2 {
        let widths = (0..<5).map { w[at + 2 * $0 + kind] * first / own }
        let sorted = widths.sorted()
        guard let digit = LinearReaders.digits.firstIndex(of: widths.map { $0 >= sorted[3] }) else { return false }
        bytes.append(0x30 + UInt8(digit))
        widest.narrow[kind] = max(widest.narrow[kind], sorted[2])
        narrowest.narrow[kind] = min(narrowest.narrow[kind], sorted[0])
        widest.wide[kind] = max(widest.wide[kind], sorted[4])
        narrowest.wide[kind] = min(narrowest.wide[kind], sorted[3])
        guard narrowest.wide[kind] > 1.25 * widest.narrow[kind], widest.wide[kind] < 2 * narrowest.wide[kind],
          widest.narrow[kind] < 3 * narrowest.narrow[kind], widest.wide[kind] < 7 * narrowest.narrow[kind]
        else { return false }
      }
      return true
    }

    /// Returns whether a wide bar, a narrow space and a narrow bar stand here.
    func stops(_ w: [Double], _ at: Int) -> Bool {
      let scale = first / last
      let (bar, space) = (limit(0), limit(1))
      return w[at] * scale > bar && w[at + 1] * scale < space && w[at + 2] * scale < bar
        && w[at] * scale < 1.5 * widest.wide[0]
    }

    /// Returns whether the bars and spaces of the start are narrow ones.
    func holds(bar: Double, space: Double) -> Bool { bar < limit(0) && space < limit(1) }

    private func limit(_ kind: Int) -> Double { (widest.narrow[kind] + narrowest.wide[kind]) / 2 }
  }
}
