/// Everything that was counted; told when it changes, at most five times a second.
public struct CountState: EventPayload {
  /// The count: the same until it is over.
  public var count: String
  /// How many codes, copies and all.
  public var total: Int
  /// How many frames were looked at.
  public var views: Int
  /// The stretches between which the camera's position was lost: where there are several, copies may count twice.
  public var stretches: Int
  /// The different codes, in the order in which they began to count; at most 500.
  public var codes: [CountedArticle]
  /// True where more was seen than is counted: at most 1024 copies of 500 different codes.
  public var full: Bool?

  /// The name on the wire.
  public static let event = "count.changed"

  /// Contents only where they are known to be harmless.
  public var forObservers: Self {
    var copy = self
    copy.codes = codes.map(\.forObservers)
    return copy
  }

  /// A value from its parts.
  public init(
    count: String, total: Int, views: Int, stretches: Int, codes: [CountedArticle], full: Bool? = nil
  ) {
    self.count = count
    self.total = total
    self.views = views
    self.stretches = stretches
    self.codes = codes
    self.full = full
  }
}

/// A code and how often it was counted.
public struct CountedArticle: Codable, Hashable, Sendable {
  /// The symbology.
  public var symbology: String
  /// Its content; missing where it may hold a secret, such as the password of a network or the data of an onboarding, or takes more than
  /// 160 bytes, and for observers where it is not known to be harmless.
  public var text: String?
  /// The name under which a person may be shown it: the content where that may be the number of an article, missing for addresses, data of
  /// programs and secrets.
  public var name: String?
  /// How many copies there are.
  public var amount: Int
  /// True if observers may see the content: not unless whoever made the event knows better. Never on the wire.
  package var isHarmless = false

  private enum CodingKeys: CodingKey { case symbology, text, name, amount }

  /// A value from its parts.
  public init(symbology: String, text: String? = nil, name: String? = nil, amount: Int) {
    self.symbology = symbology
    self.text = text
    self.name = name
    self.amount = amount
  }

  /// The code as an observer sees it.
  package var forObservers: Self {
    isHarmless ? self : CountedArticle(symbology: symbology, amount: amount)
  }
}

/// The count is over.
public struct CountEnded: EventPayload {
  /// The count.
  public var count: String
  /// Why.
  public var reason: CountEnding

  /// The name on the wire.
  public static let event = "count.ended"

  /// Nothing in it is a secret.
  public var forObservers: Self { self }

  /// A value from its parts.
  public init(count: String, reason: CountEnding) {
    self.count = count
    self.reason = reason
  }
}

/// Why a count ended.
public enum CountEnding: String, Codable, Hashable, Sendable, CaseIterable {
  /// Everybody who took part ended it.
  case ended
  /// Everybody left, and nobody came back.
  case disconnected
  /// The service stops.
  case stopping
}
