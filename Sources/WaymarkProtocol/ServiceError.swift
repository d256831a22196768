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
    /// A parameter is missing, of the wrong type or out of range; the message names it.
    public static let badParams = Code(rawValue: "badParams")
    /// The role of this connection does not allow the method.
    public static let notPermitted = Code(rawValue: "notPermitted")
    /// Another client holds it (`holder` names the client), or too many requests are being processed.
    public static let busy = Code(rawValue: "busy")
    /// Nothing has this name or id.
    public static let notFound = Code(rawValue: "notFound")
    /// No scan is armed.
    public static let noScan = Code(rawValue: "noScan")
    /// No verdict is waiting to be confirmed.
    public static let nothingToConfirm = Code(rawValue: "nothingToConfirm")
    /// The code was confirmed before; a code is accepted only once.
    public static let replayed = Code(rawValue: "replayed")
    /// There is no camera, or it delivers no frame.
    public static let noCamera = Code(rawValue: "noCamera")
    /// The device cannot do this.
    public static let notSupported = Code(rawValue: "notSupported")
    /// The configuration does not enable this.
    public static let notConfigured = Code(rawValue: "notConfigured")
    /// No scene is loaded.
    public static let noScene = Code(rawValue: "noScene")
    /// The AR session, or an onboarding, is in another phase.
    public static let wrongPhase = Code(rawValue: "wrongPhase")
    /// The maximum is stored; something must be fetched or removed first.
    public static let full = Code(rawValue: "full")
    /// The picture cannot be read, or is not a picture.
    public static let badPicture = Code(rawValue: "badPicture")
    /// The connection streams pictures, or carries events and was asked for pictures.
    public static let wrongConnection = Code(rawValue: "wrongConnection")
    /// The configuration file has problems; the old configuration stays in effect.
    public static let badConfiguration = Code(rawValue: "badConfiguration")
    /// No document or text session is open, another client holds it, or the client takes part in no count.
    public static let noSession = Code(rawValue: "noSession")
    /// The program that reads text is not installed: `apt install waymark-text`.
    public static let textEngineMissing = Code(rawValue: "textEngineMissing")
    /// The model of a language is not installed; the hint names its package.
    public static let textLanguageMissing = Code(rawValue: "textLanguageMissing")
    /// The disk is full; nothing was lost.
    public static let noSpace = Code(rawValue: "noSpace")
    /// Too many wrong passcodes; the hint says how long to wait.
    public static let waiting = Code(rawValue: "waiting")
    /// The passcode breaks rules; the message names them.
    public static let passcodeRules = Code(rawValue: "passcodeRules")
    /// The code does not activate this device, or is not accepted any more when it is confirmed; the message ends with the reason.
    public static let codeRefused = Code(rawValue: "codeRefused")
    /// The service is stopping.
    public static let stopping = Code(rawValue: "stopping")
    /// The service failed; see its log.
    public static let internalError = Code(rawValue: "internalError")
  }
}

/// The `Problem` of the wire: its members are the schema, and `holder` is one that no other error has.
extension ServiceError: ExplainedError {}
