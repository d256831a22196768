public import WaymarkJSON

/// An armed scan sees a code that it cannot read.
public struct ScanGuide: EventPayload {
  /// The scan it belongs to.
  public var scan: String
  /// The `context` of `scan.begin`, unread.
  public var context: JSONValue?
  /// The advice that would help.
  public var advice: ScanAdvice
  /// Where the code is.
  public var corners: [[Double]]?
  /// The owner of the scan; nobody when the service armed itself.
  public var by: Actor?

  /// The name on the wire.
  public static let event = "scan.guide"

  /// Without what the client that scans brought along.
  public var forObservers: Self {
    var copy = self
    copy.context = nil
    return copy
  }

  /// A value from its parts.
  public init(
    scan: String, context: JSONValue? = nil, advice: ScanAdvice, corners: [[Double]]? = nil, by: Actor? = nil
  ) {
    self.by = by
    self.scan = scan
    self.context = context
    self.advice = advice
    self.corners = corners
  }
}

/// An advice that would make a code readable.
public enum ScanAdvice: String, Codable, CaseIterable, Sendable {
  /// Come closer.
  case tooSmall
  /// Go back.
  case tooClose
  /// Hold still.
  case blurred
  /// Show all of it.
  case cutOff
  /// More light.
  case tooDark
  /// Less light.
  case tooBright
}

/// The person went on.
public struct ScanConfirmed: EventPayload {
  /// The scan it belongs to.
  public var scan: String
  /// The `context` of `scan.begin`, unread.
  public var context: JSONValue?
  /// The client that confirmed.
  public var by: Actor?

  /// The name on the wire.
  public static let event = "scan.confirmed"

  /// Without what the client that scans brought along.
  public var forObservers: Self {
    var copy = self
    copy.context = nil
    return copy
  }

  /// A value from its parts.
  public init(
    scan: String, context: JSONValue? = nil, by: Actor? = nil
  ) {
    self.scan = scan
    self.context = context
    self.by = by
  }
}

/// The person left, or the scan ended otherwise.
public struct ScanCancelled: EventPayload {
  /// The scan it belongs to.
  public var scan: String
  /// The `context` of `scan.begin`, unread.
  public var context: JSONValue?
  /// Why.
  public var reason: CancelReason
  /// The client that cancelled.
  public var by: Actor?

  /// The name on the wire.
  public static let event = "scan.cancelled"

  /// Without what the client that scans brought along.
  public var forObservers: Self {
    var copy = self
    copy.context = nil
    return copy
  }

  /// A value from its parts.
  public init(
    scan: String, context: JSONValue? = nil, reason: CancelReason, by: Actor? = nil
  ) {
    self.scan = scan
    self.context = context
    self.reason = reason
    self.by = by
  }
}

/// An armed scan is over, however it ended: the last event of it.
public struct ScanEnded: EventPayload {
  /// The scan.
  public var scan: String
  /// The `context` of `scan.begin`, unread.
  public var context: JSONValue?
  /// How it ended.
  public var reason: ScanEnding
  /// The client that ended it, where one did.
  public var by: Actor?

  /// The name on the wire.
  public static let event = "scan.ended"

  /// Without what the client that scans brought along.
  public var forObservers: Self {
    var copy = self
    copy.context = nil
    return copy
  }

  /// A value from its parts.
  public init(scan: String, context: JSONValue? = nil, reason: ScanEnding, by: Actor? = nil) {
    self.scan = scan
    self.context = context
    self.reason = reason
    self.by = by
  }
}

/// How a scan ended.
public enum ScanEnding: String, Codable, CaseIterable, Sendable {
  /// The person went on with its verdict.
  case confirmed
  /// It was to end with its first code.
  case once
  /// A client cancelled it.
  case cancelled
  /// The same client began another, or a client took over what the service had armed.
  case replaced
  /// The client that held it left.
  case disconnected
  /// Its time was over.
  case timedOut
  /// The service stops.
  case stopping
}

/// Why a scan ended without a confirmation.
public enum CancelReason: String, Codable, CaseIterable, Sendable {
  /// A client cancelled it.
  case cancelled
  /// The same client began another.
  case replaced
  /// The client that held it left.
  case disconnected
  /// Its time was over.
  case timedOut
  /// The service stops.
  case stopping
}
