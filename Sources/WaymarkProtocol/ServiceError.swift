import WaymarkSystem

/// An error as it stands in a reply.
public struct ServiceError: Error, Codable, Hashable, Sendable {
  /// A stable camelCase word.
  public var code: Code
  /// The fault, and the thing it happened to.
  public var message: String
  /// The remedy.
  public var hint: String
  /// The client that holds the thing asked for, with the code `busy`.
  public var holder: Actor?

  /// An error from its parts.
  public init(_ code: Code, _ message: String, hint: String, holder: Actor? = nil) {
    self.code = code
    self.message = message
    self.hint = hint
    self.holder = holder
  }

  /// The codes of error replies. Codes that a newer service brings are kept as they are.
  public struct Code: RawRepresentable, Codable, Hashable, Sendable {
    /// The word on the wire.
    public let rawValue: String

    /// A code from its word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The line is not a request: not JSON, not an object, nested too deeply, without a method.
    public static let malformedRequest = Code(rawValue: "malformedRequest")
    /// The line is longer than 64 KiB; the connection is closed.
    public static let lineTooLong = Code(rawValue: "lineTooLong")
    /// There is no such method.
    public static let unknownMethod = Code(rawValue: "unknownMethod")
    /// A parameter is missing, of the wrong type or out of its range.
    public static let badParams = Code(rawValue: "badParams")
    /// The role of this connection does not reach so far.
    public static let notPermitted = Code(rawValue: "notPermitted")
    /// Another client holds it; `holder` says who.
    public static let busy = Code(rawValue: "busy")
    /// There is nothing of this name or id.
    public static let notFound = Code(rawValue: "notFound")
    /// No scan is armed.
    public static let noScan = Code(rawValue: "noScan")
    /// No verdict waits for a confirmation.
    public static let nothingToConfirm = Code(rawValue: "nothingToConfirm")
    /// The code was confirmed before; it counts once only.
    public static let replayed = Code(rawValue: "replayed")
    /// No camera is there, or it cannot be opened.
    public static let noCamera = Code(rawValue: "noCamera")
    /// The device cannot do this.
    public static let notSupported = Code(rawValue: "notSupported")
    /// The configuration leaves this off.
    public static let notConfigured = Code(rawValue: "notConfigured")
    /// No scene is loaded.
    public static let noScene = Code(rawValue: "noScene")
    /// The AR session, or an onboarding, is in another phase.
    public static let wrongPhase = Code(rawValue: "wrongPhase")
    /// The service keeps as much as it may; something must be taken over first.
    public static let full = Code(rawValue: "full")
    /// It is a picture that cannot be read, or not a picture at all.
    public static let badPicture = Code(rawValue: "badPicture")
    /// This connection carries pictures, or was asked to while it carries events.
    public static let wrongConnection = Code(rawValue: "wrongConnection")
    /// The configuration file has problems; all stays as it was.
    public static let badConfiguration = Code(rawValue: "badConfiguration")
    /// No session looks for pages, or reads text, or it is another client's.
    public static let noSession = Code(rawValue: "noSession")
    /// The program that reads text is not installed: `apt install waymark-text`.
    public static let textEngineMissing = Code(rawValue: "textEngineMissing")
    /// The model of a language is not installed.
    public static let textLanguageMissing = Code(rawValue: "textLanguageMissing")
    /// There is no room on the disk; nothing was lost.
    public static let noSpace = Code(rawValue: "noSpace")
    /// Too many wrong passcodes: the next may be tried after a while.
    public static let waiting = Code(rawValue: "waiting")
    /// The passcode breaks the rules.
    public static let passcodeRules = Code(rawValue: "passcodeRules")
    /// The code does not activate this device.
    public static let codeRefused = Code(rawValue: "codeRefused")
    /// The service stops.
    public static let stopping = Code(rawValue: "stopping")
    /// The service failed; its log says more.
    public static let internalError = Code(rawValue: "internalError")
  }
}

/// The `Problem` of the wire: its members are the schema, and `holder` is one that no other error has.
extension ServiceError: ExplainedError {}
