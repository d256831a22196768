import WaymarkImage

/// Reads the postal codes whose bars have a common band and extend above or below it (`FourStateCode`).
///
/// Ridges at equal distances begin a row, which is extended along its common band as long as bars follow. The extents of a bar to
/// both sides of the band give its state. The file also has the table of these codes.
enum FourStateReader {
  /// The least number of ridges that begin a row, and the largest number of rows begun per direction of an octave.
  private static let (fewest, most) = (8, 48)

  /// Returns the codes of a symbology among the rows of a picture. The rows are searched for once and kept in `search`.
  static func detections(_ search: inout MatrixSearch, _ symbology: Symbology) -> [MatrixDetection] {
    guard let code = FourStateCode.all.first(where: { $0.symbology == symbology }) else { return [] }
    let rows = search.fourStateRows ?? rows(search.view)
    search.fourStateRows = rows
    return rows.compactMap { row in
      guard let (text, isTurned) = code.read(row.bars) else { return nil }
      var detection = MatrixDetection(
        symbology: symbology, corners: isTurned ? row.corners.turned(by: 2) : row.corners, module: row.pitch / 2,
        certainty: 1)
      var message = CodeMessage()
      message.append(text)
      detection.message = message
      return detection
    }
  }

  /// Returns the rows of bars of a picture that are codes.
  static func rows(_ view: ImageView) -> [FourStateBars.Row] {
    var rows: [FourStateBars.Row] = []
    var picture = GrayImage(copying: view)
    var scale = 1.0
    // Each octave is searched for bars at distances of three to ten pixels.
    while min(picture.width, picture.height) >= 24, scale <= 8 {
      let found = picture.withView { Self.rows($0, beside: rows.map { $0.corners.scaled(by: 1 / scale) }) }
      rows += found.map { row in
        var row = row
        row.corners = row.corners.scaled(by: scale)
        row.pitch *= scale
        return row
      }
      picture = picture.withView { $0.shrunk(by: 2) }
      scale *= 2
    }
    return rows
  }

  private static func rows(_ view: ImageView, beside known: [Quadrilateral]) -> [FourStateBars.Row] {
    var rows: [FourStateBars.Row] = []
    let tiles = BarTiles(view)
    for direction in BarRidges.directions {
      let ridges = BarRidges(view, direction: direction, in: tiles)
      for seed in ridges.rows(of: fewest).prefix(most) {
        let middle = seed[seed.count / 2]
        let place = ridges.along * middle.s + ridges.across * middle.middle
        if (known + rows.map(\.corners)).contains(where: { $0.contains(place) }) { continue }
        guard let row = FourStateRow(view, ridges, seed: seed), let (bars, corners) = row.sampled(),
          FourStateCode.all.contains(where: { $0.read(bars) != nil })
        else { continue }
        rows.append(FourStateBars.Row(bars: bars, corners: corners, pitch: row.pitch))
      }
    }
    return rows
  }
}

// MARK: - Symbologies

/// A postal symbology of four-state bars: its numbers of bars and its decoder.
struct FourStateCode: Sendable {
  let symbology: Symbology
  /// The numbers of bars that a symbol may have.
  let counts: [Int]
  /// True if wrong bars pass the checks so rarely that the most doubtful bars may be inverted.
  var isStrong = false
  /// Returns the text of bars seen upright; `nil` if they are not of this code.
  let decode: @Sendable (FourStateBars) -> String?

  static let all = [
    FourStateCode(
      symbology: .intelligentMail, counts: [IntelligentMail.bars], isStrong: true, decode: IntelligentMail.decode),
    FourStateCode(symbology: .rm4scc, counts: RoyalMail.counts, decode: RoyalMail.customer),
    FourStateCode(symbology: .kix, counts: RoyalMail.kixCounts, decode: RoyalMail.kix),
    FourStateCode(symbology: .mailmark, counts: Mailmark.kinds.map(\.bars), isStrong: true, decode: Mailmark.decode),
    FourStateCode(symbology: .australiaPost, counts: AustraliaPost.counts, decode: AustraliaPost.decode),
    FourStateCode(symbology: .japanPost, counts: [JapanPost.bars], isStrong: true, decode: JapanPost.decode),
  ]

  /// Returns the text of bars, and whether they are upside down; `nil` if they are not of this code, or are valid both ways up.
  func read(_ bars: FourStateBars) -> (text: String, isTurned: Bool)? {
    guard counts.contains(bars.count) else { return nil }
    for variant in isStrong ? bars.variants : [bars] {
      switch (decode(variant), decode(variant.turned)) {
      case (let text?, nil): return (text, false)
      case (nil, let text?): return (text, true)
      default: continue
      }
    }
    return nil
  }
}
