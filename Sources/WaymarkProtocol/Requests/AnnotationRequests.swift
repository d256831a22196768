public import WaymarkJSON

/// Moves the focus to an annotation, by its id or by a point of the frame.
public struct AnnotationSelectRequest: ServiceRequest {
  /// The annotation.
  public var id: String?
  /// The copy of its anchor that is meant, with `id`: one that is in sight.
  public var copy: Int?
  /// x, y in pixels of the frame: the nearest visible marker within reach.
  public var point: [Double]?

  /// The result of a success.
  public typealias Result = AnnotationResult

  /// The name on the wire.
  public static let method = "annotation.select"

  /// A value from its parts.
  public init(
    id: String? = nil, copy: Int? = nil, point: [Double]? = nil
  ) {
    self.id = id
    self.copy = copy
    self.point = point
  }
}

/// Moves the focus on.
public struct AnnotationNextRequest: ServiceRequest {

  /// The result of a success.
  public typealias Result = AnnotationResult

  /// The name on the wire.
  public static let method = "annotation.next"

  /// The only value.
  public init() {}
}

/// Moves the focus back.
public struct AnnotationPreviousRequest: ServiceRequest {

  /// The result of a success.
  public typealias Result = AnnotationResult

  /// The name on the wire.
  public static let method = "annotation.previous"

  /// The only value.
  public init() {}
}

/// Takes the focus away.
public struct AnnotationClearRequest: ServiceRequest {

  /// The result of a success.
  public typealias Result = AnnotationResult

  /// The name on the wire.
  public static let method = "annotation.clear"

  /// The only value.
  public init() {}
}

/// Opens the detail panel of a card.
public struct CardOpenRequest: ServiceRequest {
  /// The annotation; the selected one when missing.
  public var id: String?
  /// The copy of its anchor that is meant; when missing the one at which it was selected.
  public var copy: Int?

  /// The result of a success.
  public typealias Result = AnnotationResult

  /// The name on the wire.
  public static let method = "card.open"

  /// A value from its parts.
  public init(
    id: String? = nil, copy: Int? = nil
  ) {
    self.id = id
    self.copy = copy
  }
}

/// Closes the detail panel.
public struct CardCloseRequest: ServiceRequest {

  /// The result of a success.
  public typealias Result = AnnotationResult

  /// The name on the wire.
  public static let method = "card.close"

  /// The only value.
  public init() {}
}

/// Presses the button of a card.
public struct CardActionRequest: ServiceRequest {
  /// The annotation; the selected one when missing.
  public var id: String?
  /// The copy of its anchor that is meant; when missing the one at which it was selected.
  public var copy: Int?

  /// The result of a success.
  public typealias Result = CardActionResult

  /// The name on the wire.
  public static let method = "card.action"

  /// A value from its parts.
  public init(
    id: String? = nil, copy: Int? = nil
  ) {
    self.id = id
    self.copy = copy
  }
}

/// The annotation that has the focus.
public struct AnnotationResult: Codable, Hashable, Sendable {
  /// The annotation; null when none has it.
  public var id: String?
  /// The copy of its anchor at which it was selected; missing where one alone is followed, or none was meant.
  public var copy: Int?
  /// True if its card is open.
  public var open: Bool

  /// A value from its parts.
  public init(
    id: String? = nil, copy: Int? = nil, open: Bool = false
  ) {
    self.id = id
    self.copy = copy
    self.open = open
  }

  /// Writes the value; `id` also when null.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(id, forKey: .id)
    try container.encodeIfPresent(copy, forKey: .copy)
    try container.encode(open, forKey: .open)
  }
}

/// The action of the button.
public struct CardActionResult: Codable, Hashable, Sendable {
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

  /// A value from its parts.
  public init(
    id: String, copy: Int? = nil, actionType: ActionType, actionData: String? = nil, businessObject: JSONValue? = nil
  ) {
    self.id = id
    self.copy = copy
    self.actionType = actionType
    self.actionData = actionData
    self.businessObject = businessObject
  }
}
