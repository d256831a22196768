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

  /// Returns the text of bars, and whether they are upside down; `nil` if they are not of this code, or can be read
  /// both ways up.
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
