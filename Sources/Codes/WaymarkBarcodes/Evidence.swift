import WaymarkImage

/// The symbols that the passes over one picture have read so far, and the rules for accepting them. `ExplainedPlaces` and
/// `PictureEdges` below determine which parts of the picture these symbols explain.
///
/// One wrong read is worse than ten missed ones. A QR code has error correction, but the check digit of a 1-D code catches only
/// nine of ten misreads, and some codes have none, so several scan lines must agree, in one pass or in several.
struct Evidence {
  /// A content read at one position in the picture, and the passes that read it.
  struct Claim {
    var symbol: Symbol
    /// The number of scan lines that read it, in all passes together, weighted by `weight(of:)`.
    var lines: Int
    /// The largest weighted number of scan lines of one pass.
    var most: Int
    var passes: Set<ScanPass>
  }

  private(set) var claims: [Claim] = []

  mutating func add(_ symbol: Symbol) {
    guard symbol.symbology.row.linear?.isPlausible(symbol.text) ?? true else { return }
    let lines = symbol.quality * Self.weight(of: symbol.pass)
    if let i = claims.firstIndex(where: { $0.symbol.sameContent(as: symbol) && Self.overlap($0.symbol, symbol) }) {
      claims[i].lines += lines
      claims[i].passes.insert(symbol.pass)
      if lines > claims[i].most {
        claims[i].most = lines
        claims[i].symbol = symbol
      }
    } else {
      claims.append(Claim(symbol: symbol, lines: lines, most: lines, passes: [symbol.pass]))
    }
  }

  /// Removes the claim of a symbol that another reader refuted.
  mutating func drop(_ symbol: Symbol) {
    claims.removeAll { $0.symbol.sameContent(as: symbol) && Self.overlap($0.symbol, symbol) }
  }

  /// The accepted symbols: enough lines or passes agree, and no stronger claim contradicts at the same place.
  var accepted: [Symbol] {
    claims.filter { claim in
      Self.isAccepted(claim) && !claims.contains { Self.contradicts($0, claim) }
    }.map { claim in
      var symbol = claim.symbol
      symbol.quality = claim.symbol.symbology.isMatrix ? 1 : claim.most
      return symbol
    }
  }

  /// The accepted symbols that no further pass can make doubtful: matrix codes, and 1-D codes that at least twice the required number
  /// of lines show and no line contradicts.
  var settled: [Symbol] {
    claims.filter { claim in
      Self.isAccepted(claim)
        && (claim.symbol.symbology.isMatrix || claim.most >= 2 * claim.symbol.neededLines.inOnePass)
        && !claims.contains { other in
          !other.symbol.sameContent(as: claim.symbol) && !other.symbol.symbology.isMatrix
            && !claim.symbol.symbology.isMatrix && Self.overlap(other.symbol, claim.symbol)
        }
    }.map(\.symbol)
  }

  private static func isAccepted(_ claim: Claim) -> Bool {
    let need = claim.symbol.neededLines
    return claim.most >= need.inOnePass || (claim.passes.count > 1 && claim.lines >= need.together)
  }

  /// Returns whether `other` makes `claim` doubtful: it has another content at the same position, and a stronger symbology or more
  /// than half as many lines.
  private static func contradicts(_ other: Claim, _ claim: Claim) -> Bool {
    let (a, b) = (other.symbol, claim.symbol)
    guard !a.sameContent(as: b), let rulesA = a.symbology.row.linear, let rulesB = b.symbology.row.linear, overlap(a, b)
    else { return false }
    // A UPC-E, an ITF or a short code inside the bars of a longer code is an accident of these bars.
    if rulesA.strength != rulesB.strength { return rulesA.strength > rulesB.strength && isAccepted(other) }
    return 2 * other.lines > claim.lines && other.most >= 2
  }

  /// Returns how many lines one line of a pass counts for: a line of a strip is the mean of a band of rows.
  private static func weight(of pass: ScanPass) -> Int {
    switch pass {
    case .strip, .stripStretched, .stripInverted: 2
    case .level: 2  // every second row only
    default: 1
    }
  }

  /// Returns whether the bounds of two symbols overlap or are at most twelve pixels apart.
  static func overlap(_ a: Symbol, _ b: Symbol) -> Bool {
    let (p, q) = (a.corners.bounds, b.corners.bounds)
    let slack = 12.0
    return p.min.x <= q.max.x + slack && q.min.x <= p.max.x + slack && p.min.y <= q.max.y + slack
      && q.min.y <= p.max.y + slack
  }
}

extension Symbol {
  /// The number of scan lines that must agree in one pass, or in several passes together.
  fileprivate var neededLines: (inOnePass: Int, together: Int) {
    symbology.row.linear?.lines(text.utf8.count) ?? (1, 1)
  }

  /// True if the symbology has a check that rarely passes by accident for a text of this length.
  var isChecked: Bool { symbology.row.linear?.checkedFrom.map { text.utf8.count >= $0 } ?? false }
}

// MARK: - Explained places

/// The areas of a picture that are covered by symbols already read: no reader looks for other codes there.
struct ExplainedPlaces {
  /// The outlines of the symbols, with a part of their quiet zones, in pixels of the picture.
  private let outlines: [Quadrilateral]

  /// - Parameter symbols: the corners of the symbols read, in pixels of the picture.
  init(_ symbols: [Quadrilateral]) { outlines = symbols.map(Self.grown) }

  var isEmpty: Bool { outlines.isEmpty }

  /// Returns whether a point is inside an outline.
  func contains(_ point: Point2) -> Bool { outlines.contains { $0.contains(point) } }

  /// Returns whether symbols cover nearly the whole length of a region of bars.
  func contains(_ region: BarRegion) -> Bool {
    let places = (-4...4).map { region.center + region.direction * (Double($0) / 9 * region.length) }
    return places.count(where: contains) >= 8
  }

  /// Returns a copy of a picture in which each outline is filled with the median tone along it.
  ///
  /// - Parameter factor: the number of pixels of the outlines' picture per pixel of `view`.
  func covered(_ view: ImageView, factor: Double) -> GrayImage {
    GrayImage(width: view.width, height: view.height) { pixels in
      guard let target = pixels.baseAddress else { return }
      for y in 0..<view.height { (target + y * view.width).update(from: view.row(y), count: view.width) }
      for outline in outlines {
        let place = outline.scaled(by: 1 / factor)
        let tone = Self.rim(place, view)
        let bounds = place.bounds
        let (top, bottom) = (max(0, bounds.min.y.rounded(.up)), min(Double(view.height - 1), bounds.max.y))
        guard top <= bottom else { continue }
        for y in Int(top)...Int(bottom) {
          guard let span = Self.span(place, Double(y)) else { continue }
          let (left, right) = (max(0, span.lowerBound), min(Double(view.width - 1), span.upperBound))
          guard left <= right else { continue }
          let (first, last) = (Int(left.rounded(.up)), Int(right))
          if first <= last { (target + y * view.width + first).update(repeating: tone, count: last - first + 1) }
        }
      }
    }
  }

  /// Returns the outline with every side moved out by a twentieth of the shorter sides plus two pixels: a module of a small symbol, and
  /// less than the quiet zone of any larger one.
  private static func grown(_ outline: Quadrilateral) -> Quadrilateral {
    let c = outline.corners
    let sides = (0..<4).map { c[($0 + 1) % 4] - c[$0] }
    let by = 2 + 0.05 * (sides.map(\.length).min() ?? 0)
    func moved(_ i: Int) -> Point2 {
      let (before, after) = (sides[(i + 3) % 4], sides[i])
      return c[i] + before / max(before.length, 1) * by - after / max(after.length, 1) * by
    }
    return Quadrilateral(topLeft: moved(0), topRight: moved(1), bottomRight: moved(2), bottomLeft: moved(3))
  }

  /// Returns the median tone along the sides of an outline.
  private static func rim(_ outline: Quadrilateral, _ view: ImageView) -> UInt8 {
    let c = outline.corners
    var tones: [UInt8] = []
    for i in 0..<4 {
      for step in 0..<16 {
        let p = c[i] + (c[(i + 1) % 4] - c[i]) * (Double(step) / 16)
        guard p.x >= 0, p.y >= 0, p.x < Double(view.width), p.y < Double(view.height) else { continue }
        tones.append(view[Int(p.x), Int(p.y)])
      }
    }
    return tones.isEmpty ? 255 : tones.sorted()[tones.count / 2]
  }

  /// Returns the columns at which a row crosses an outline; `nil` if it does not.
  private static func span(_ outline: Quadrilateral, _ y: Double) -> ClosedRange<Double>? {
    let c = outline.corners
    var crossings: [Double] = []
    for i in 0..<4 {
      let (a, b) = (c[i], c[(i + 1) % 4])
      guard a.y != b.y, (a.y <= y) != (b.y <= y) else { continue }
      crossings.append(a.x + (b.x - a.x) * (y - a.y) / (b.y - a.y))
    }
    guard let left = crossings.min(), let right = crossings.max() else { return nil }
    return left...right
  }
}

// MARK: - Edges

/// The structure tensor of a picture, made once for all readers, and its cells with edges as strong as the edges of a code.
struct PictureEdges {
  let tensor: StructureTensor
  /// The number of pixels of the picture, along a side, per pixel of the octave of the tensor.
  private let factor: Double

  /// The mean square of neighbour differences below which a cell holds no edge of a code, in gray levels squared.
  private static let leastEnergy: Float = 12
  /// The least number of cells with edges outside of all symbols that suggests another code.
  private static let fewest = 3

  init(_ view: ImageView, factor: Double) {
    tensor = StructureTensor(view)
    self.factor = factor
  }

  /// Returns whether symbols cover nearly all edges, so that the picture needs no further reader.
  func isExplained(by places: ExplainedPlaces) -> Bool {
    guard !places.isEmpty else { return false }
    let side = Double(StructureTensor.side)
    // A cell also contains edges of its neighbours, so the cells next to a symbol are explained, too.
    let corners: [Point2] = [[-1, -1], [1, -1], [-1, 1], [1, 1], [0, 0]]
    var open = 0
    for y in 0..<tensor.rows {
      for x in 0..<tensor.columns where tensor.energy[y * tensor.columns + x] > Self.leastEnergy {
        let center = Point2(Double(x) + 0.5, Double(y) + 0.5) * side
        let isNear = corners.contains { places.contains((center + $0 * (0.75 * side)) * factor) }
        if isNear { continue }
        open += 1
        if open >= Self.fewest { return false }
      }
    }
    return true
  }
}
