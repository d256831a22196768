/// The contents of a card.
public struct Card: Codable, Hashable, Sendable {
  /// Its title.
  public var title: String
  /// Its text.
  public var description: String?
  /// The id of its picture, for `media.resource`.
  public var image: String?
  /// The label of its button.
  public var actionText: String?
  /// The action of the button.
  public var actionType: ActionType?
  /// The data of the button's action: an address, a number, anything.
  public var actionData: String?
  /// The language of its words (BCP 47), where the scene names it.
  public var language: String?

  /// A value from its parts.
  public init(
    title: String, description: String? = nil, image: String? = nil, actionText: String? = nil,
    actionType: ActionType? = nil, actionData: String? = nil, language: String? = nil
  ) {
    self.title = title
    self.description = description
    self.image = image
    self.actionText = actionText
    self.actionType = actionType
    self.actionData = actionData
    self.language = language
  }
}

/// The action of a card's button; the client carries it out.
public enum ActionType: String, Codable, CaseIterable, Sendable {
  /// Opens an address.
  case link
  /// Plays a video.
  case video
  /// Calls a number.
  case phone
  /// An action that the client understands.
  case custom
}
