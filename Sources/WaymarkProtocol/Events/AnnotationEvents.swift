public import WaymarkJSON

/// A marker becomes visible or not, selected or not.
public struct MarkerChanged: EventPayload {
  /// The annotation.
  public var id: String
  /// The copy of the anchor that it hangs on, where each copy has a marker of its own.
  public var copy: Int?
  /// True if it is to be drawn.
  public var visible: Bool
  /// True if it has the focus.
  public var selected: Bool
  /// True if it pulses.
  public var pulsing: Bool

  /// The name on the wire.
  public static let event = "marker.changed"

  /// Nothing in it is a secret.
  public var forObservers: Self { self }

  /// A value from its parts.
  public init(
    id: String, copy: Int? = nil, visible: Bool, selected: Bool, pulsing: Bool
  ) {
    self.id = id
    self.copy = copy
    self.visible = visible
    self.selected = selected
    self.pulsing = pulsing
  }
}

/// The focus moved to an annotation.
public struct AnnotationSelected: EventPayload {
  /// The annotation.
  public var id: String
  /// The copy of its anchor that was meant; missing where one alone is followed, or none was meant.
  public var copy: Int?
  /// Its card.
  public var card: Card
  /// The client that selected it.
  public var by: Actor?

  /// The name on the wire.
  public static let event = "annotation.selected"

  /// Nothing in it is a secret.
  public var forObservers: Self { self }

  /// A value from its parts.
  public init(
    id: String, copy: Int? = nil, card: Card, by: Actor? = nil
  ) {
    self.id = id
    self.copy = copy
    self.card = card
    self.by = by
  }
}

/// No annotation has the focus any more.
public struct AnnotationCleared: EventPayload {
  /// The annotation that had it.
  public var id: String?
  /// The client that cleared it.
  public var by: Actor?

  /// The name on the wire.
  public static let event = "annotation.cleared"

  /// Nothing in it is a secret.
  public var forObservers: Self { self }

  /// A value from its parts.
  public init(
    id: String? = nil, by: Actor? = nil
  ) {
    self.id = id
    self.by = by
  }
}

/// The detail panel of a card opened.
public struct CardOpened: EventPayload {
  /// The annotation.
  public var id: String
  /// The copy of its anchor that was meant; missing where one alone is followed, or none was meant.
  public var copy: Int?
  /// Its card.
  public var card: Card?
  /// The client that opened it.
  public var by: Actor?

  /// The name on the wire.
  public static let event = "card.opened"

  /// Nothing in it is a secret.
  public var forObservers: Self { self }

  /// A value from its parts.
  public init(
    id: String, copy: Int? = nil, card: Card? = nil, by: Actor? = nil
  ) {
    self.id = id
    self.copy = copy
    self.card = card
    self.by = by
  }
}

/// The detail panel of a card closed.
public struct CardClosed: EventPayload {
  /// The annotation.
  public var id: String
  /// The client that closed it.
  public var by: Actor?

  /// The name on the wire.
  public static let event = "card.closed"

  /// Nothing in it is a secret.
  public var forObservers: Self { self }

  /// A value from its parts.
  public init(
    id: String, by: Actor? = nil
  ) {
    self.id = id
    self.by = by
  }
}

/// The button of a card was pressed; the client that shows the card does what it says.
public struct CardAction: EventPayload {
  /// The annotation.
  public var id: String
  /// The copy of its anchor that was meant; missing where one alone is followed, or none was meant.
  public var copy: Int?
  /// The kind of action.
  public var actionType: ActionType
  /// The data of the action.
  public var actionData: String?
  /// The integrator's own data.
  public var businessObject: JSONValue?
  /// The client that pressed it.
  public var by: Actor?

  /// The name on the wire.
  public static let event = "card.action"

  /// Nothing in it is a secret.
  public var forObservers: Self { self }

  /// A value from its parts.
  public init(
    id: String, copy: Int? = nil, actionType: ActionType, actionData: String? = nil, businessObject: JSONValue? = nil,
    by: Actor? = nil
  ) {
    self.id = id
    self.copy = copy
    self.actionType = actionType
    self.actionData = actionData
    self.businessObject = businessObject
    self.by = by
  }
}
