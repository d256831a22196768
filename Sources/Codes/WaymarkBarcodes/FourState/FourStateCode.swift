/// A postal code of four-state bars.
struct FourStateCode: Sendable {
  let symbology: Symbology
  /// The numbers of bars.
  let counts: [Int]
  /// True if errors are so improbable to pass the checks that the most doubtful bars may be exchanged.
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

  /// Returns the text of bars; `nil` if they are not of this code, or of it in both directions of reading.
  ///
  /// - Returns: the text, and whether the bars are upside down.
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
