import WaymarkImage

/// The symbols that the passes over one picture have read so far, and whether they can be believed.
///
/// One wrong read is worse than ten missed ones. A QR code carries its own error correction; in 1-D codes a check digit
/// catches nine of ten misreads, or none is there: then lines and passes must agree.
struct Evidence {
  /// One content, and who has seen it.
  struct Claim {
    var symbol: Symbol
    /// Scan lines of all passes together.
    var lines: Int
    /// The most lines of one pass.
    var most: Int
    var passes: Set<ScanPass>
  }

  private(set) var claims: [Claim] = []

  mutating func add(_ symbol: Symbol) {
    guard SymbolRules.isPlausible(symbol) else { return }
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

  /// Drops what was claimed of bars that another look refuted.
  mutating func drop(_ symbol: Symbol) {
    claims.removeAll { $0.symbol.sameContent(as: symbol) && Self.overlap($0.symbol, symbol) }
  }

  /// The symbols that can be believed now: enough lines or passes agree, and nothing stronger contradicts at the same place.
  var accepted: [Symbol] {
    claims.filter { claim in
      Self.isAccepted(claim) && !claims.contains { Self.contradicts($0, claim) }
    }.map { claim in
      var symbol = claim.symbol
      symbol.quality = claim.symbol.symbology.isMatrix ? 1 : claim.most
      return symbol
    }
  }

  /// Those of the accepted that no further pass can make doubtful: matrix codes, and bars that twice as many lines show as must agree
  /// while none shows another content.
  var settled: [Symbol] {
    claims.filter { claim in
      Self.isAccepted(claim)
        && (claim.symbol.symbology.isMatrix || claim.most >= 2 * SymbolRules.lines(for: claim.symbol).inOnePass)
        && !claims.contains { other in
          !other.symbol.sameContent(as: claim.symbol) && !other.symbol.symbology.isMatrix
            && !claim.symbol.symbology.isMatrix && Self.overlap(other.symbol, claim.symbol)
        }
    }.map(\.symbol)
  }

  private static func isAccepted(_ claim: Claim) -> Bool {
    let need = SymbolRules.lines(for: claim.symbol)
    return claim.most >= need.inOnePass || (claim.passes.count > 1 && claim.lines >= need.together)
  }

  /// Returns whether `other` makes `claim` doubtful: another content at the same place with more lines, or with so many that it
  /// is a draw.
  private static func contradicts(_ other: Claim, _ claim: Claim) -> Bool {
    let (a, b) = (other.symbol, claim.symbol)
    guard !a.sameContent(as: b), !a.symbology.isMatrix, !b.symbology.isMatrix, overlap(a, b) else { return false }
    // A UPC-E, an ITF or a short code inside the bars of something longer is an accident of these bars.
    let (strongA, strongB) = (SymbolRules.strength(a.symbology), SymbolRules.strength(b.symbology))
    if strongA != strongB { return strongA > strongB && isAccepted(other) }
    return 2 * other.lines > claim.lines && other.most >= 2
  }

  /// A line of a strip is the mean of a band of rows, worth several.
  private static func weight(of pass: ScanPass) -> Int {
    switch pass {
    case .strip, .stripStretched, .stripInverted: 2
    case .level: 2  // every second row only
    default: 1
    }
  }

  static func overlap(_ a: Symbol, _ b: Symbol) -> Bool {
    let (p, q) = (a.corners.bounds, b.corners.bounds)
    let slack = 12.0
    return p.min.x <= q.max.x + slack && q.min.x <= p.max.x + slack && p.min.y <= q.max.y + slack
      && q.min.y <= p.max.y + slack
  }
}
