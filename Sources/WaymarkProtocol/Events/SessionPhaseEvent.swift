/// The AR session moved on.
public struct SessionPhaseEvent: EventPayload {
  /// Where it is now.
  public var phase: SessionPhase
  /// The action of the coaching view's button.
  public var primaryAction: PrimaryAction?
  /// The picture or code to look for.
  public var guide: SessionGuide?
  /// The scene.
  public var scene: String?
  /// The text of the coaching view.
  public var instruction: String?
  /// The client that moved it, if one did.
  public var by: Actor?

  /// The name on the wire.
  public static let event = "session.phase"

  /// Nothing in it is a secret.
  public var forObservers: Self { self }

  /// A value from its parts.
  public init(
    phase: SessionPhase, primaryAction: PrimaryAction? = nil, guide: SessionGuide? = nil, scene: String? = nil,
    instruction: String? = nil, by: Actor? = nil
  ) {
    self.phase = phase
    self.primaryAction = primaryAction
    self.guide = guide
    self.scene = scene
    self.instruction = instruction
    self.by = by
  }
}

/// The phases of the AR session.
public enum SessionPhase: String, Codable, CaseIterable, Sendable {
  /// No session.
  case inactive
  /// The person is told what to look for.
  case coaching
  /// An anchor is looked for.
  case scanning
  /// An anchor was found; markers follow in a moment.
  case matched
  /// Markers are shown.
  case annotating
}

/// The label of the coaching view's button.
public enum PrimaryAction: String, Codable, CaseIterable, Sendable {
  /// The first time.
  case beginScan
  /// After the view has closed once.
  case returnToScan
}

/// The picture or code to look for.
public struct SessionGuide: Codable, Hashable, Sendable {
  /// The anchor.
  public var anchor: String
  /// The id of its picture, for `media.resource`; missing for a code without one.
  public var resource: String?

  /// A value from its parts.
  public init(
    anchor: String, resource: String? = nil
  ) {
    self.anchor = anchor
    self.resource = resource
  }
}
