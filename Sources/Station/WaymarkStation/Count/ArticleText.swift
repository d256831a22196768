import WaymarkOnboarding
import WaymarkProtocol

/// The part of a counted content that is told: nobody wants the password of a network in a list of articles, nor in what is made of it.
struct ArticleText: Hashable {
  /// The content, where it holds no secret.
  var text: String?
  /// The content, where it may be the number or the name of an article.
  var name: String?
  /// True if observers may see it.
  var isHarmless: Bool

  /// Bytes of a text that is told: numbers of articles and addresses are shorter.
  private static let longestText = 160
  /// Characters of a name.
  private static let longestName = 64
  /// The words before a colon in texts that hold secrets, and in other texts that name nothing.
  private static let secretWords: Set<String> = ["wifi", "mecard", "begin", "otpauth", "dpp"]
  private static let otherWords: Set<String> = ["smsto", "sms", "mailto", "matmsg", "tel", "geo", "http", "https"]
  /// Kinds whose text holds secrets only in its words.
  private static let openKinds: Set<PayloadKind> = [.text, .url, .gs1DigitalLink]

  /// - Parameter isHarmless: true if observers may see the content.
  init(_ content: String, isHarmless: Bool, policy: OnboardingPolicy) {
    let kind = Inspection(ScannedCode(content), policy: policy).payload.kind
    let word = content.prefix { $0 != ":" }
    let scheme = word.endIndex == content.endIndex ? "" : word.lowercased()
    let isData = content.first { !$0.isWhitespace }.map { "{[<".contains($0) } ?? true
    let isOpen = isHarmless || !isData && !Self.secretWords.contains(scheme) && Self.openKinds.contains(kind)
    text = isOpen && content.utf8.count <= Self.longestText ? content : nil
    let isName = !isData && kind == .text && !Self.secretWords.contains(scheme) && !Self.otherWords.contains(scheme)
    name = isName && content.count <= Self.longestName ? text : nil
    self.isHarmless = isHarmless
  }
}

extension CountedArticle {
  /// As the list of a count has it.
  init(_ copies: FollowedCounter.Copies, _ text: ArticleText?) {
    self.init(
      symbology: copies.content.symbology, text: text?.text, name: text?.name, amount: copies.amount)
    isHarmless = text?.isHarmless ?? false
  }
}
