import WaymarkImage

extension TextReader {
  /// Outlines of lines that are equally long, as those of a machine-readable zone are: parts of one line are joined, and what was found of a
  /// line reaches as far as the longest one beside it.
  static func evened(_ outlines: [Quadrilateral]) -> [Quadrilateral] {
    func length(_ outline: Quadrilateral) -> Double { outline.topLeft.distance(to: outline.topRight) }
    func height(_ outline: Quadrilateral) -> Double { outline.topLeft.distance(to: outline.bottomLeft) }
    func direction(_ outline: Quadrilateral) -> Point2 {
      (outline.topRight - outline.topLeft) / max(1, length(outline))
    }
    func along(_ from: Point2, _ to: Point2, _ line: Quadrilateral) -> Double {
      let (step, own) = (to - from, direction(line))
      return step.x * own.x + step.y * own.y
    }
    /// How far a line's middle is above or below another one's.
    func across(_ line: Quadrilateral, _ other: Quadrilateral) -> Double {
      let step = (other.topLeft + other.bottomRight - line.topLeft - line.bottomRight) / 2
      let own = direction(line)
      return abs(step.y * own.x - step.x * own.y)
    }
    var kept: [(place: Int, outline: Quadrilateral)] = []
    for (place, outline) in outlines.enumerated().sorted(by: { length($0.element) > length($1.element) }) {
      let longer = kept.first { line in
        let reach = 2 * height(line.outline)
        return length(line.outline) > 10 * height(line.outline) && across(line.outline, outline) < 2 * reach
          && along(line.outline.topLeft, outline.topLeft, line.outline) > -reach
          && along(line.outline.topRight, outline.topRight, line.outline) < reach
      }
      guard let longer = longer?.outline else {
        kept.append((place, outline))
        continue
      }
      if kept.contains(where: { across($0.outline, outline) < 0.5 * height(longer) }) { continue }
      // A short piece does not tell its direction well.
      let own = direction(2 * length(outline) < length(longer) ? longer : outline)
      let left = own * min(0, -along(longer.topLeft, outline.topLeft, longer))
      let right = own * max(0, -along(longer.topRight, outline.topRight, longer))
      let even = Quadrilateral(
        topLeft: outline.topLeft + left, topRight: outline.topRight + right, bottomRight: outline.bottomRight + right,
        bottomLeft: outline.bottomLeft + left)
      kept.append((place, even))
    }
    return kept.sorted { $0.place < $1.place }.map(\.outline)
  }

  /// A line of a machine-readable zone, whichever way up; nil where it is none.
  static func zoneLine(
    _ view: ImageView, _ outline: Quadrilateral
  ) -> (symbols: [ReadSymbol], outline: Quadrilateral)? {
    // A little longer: fillers at an end are easily left out.
    let across = outline.topRight - outline.topLeft
    let length = outline.topLeft.distance(to: outline.topRight)
    guard length > 0 else { return nil }
    let more = across * (1.5 * outline.topLeft.distance(to: outline.bottomLeft) / length)
    let outline = Quadrilateral(
      topLeft: outline.topLeft - more, topRight: outline.topRight + more, bottomRight: outline.bottomRight + more,
      bottomLeft: outline.bottomLeft - more)
    guard let picture = rectified(view, outline) else { return nil }
    if let symbols = ZoneLineReader(picture)?.read() { return (symbols, outline) }
    return ZoneLineReader(picture.oriented(.turn180))?.read().map { ($0, outline.turned(by: 2)) }
  }
}
