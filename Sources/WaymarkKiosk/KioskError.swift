/// Why the kiosk cannot run.
package struct KioskError: Error, Sendable {
  /// A stable word for each kind of failure.
  package enum Code: String, Sendable {
    /// The token file cannot be used.
    case tokenFile
    /// The file for the page's address cannot be written.
    case addressFile
    /// The folder with the page's files is missing.
    case assets
    /// The address to listen on is wrong or taken.
    case listen
  }

  /// The kind of failure.
  package let code: Code
  /// What happened, to what.
  package let message: String
  /// What to do about it.
  package let hint: String

  package init(code: Code, message: String, hint: String) {
    self.code = code
    self.message = message
    self.hint = hint
  }
}
