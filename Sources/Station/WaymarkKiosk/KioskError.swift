package import WaymarkSystem

/// Why the kiosk cannot run.
package typealias KioskError = Problem<KioskErrorCode>

/// The codes of `KioskError`.
package enum KioskErrorCode: String, ProblemCode, CaseIterable {
  /// The token file cannot be used.
  case tokenFile
  /// The file for the page's address cannot be written.
  case addressFile
  /// The folder with the page's files is missing.
  case assets
  /// The address to listen on is wrong or taken.
  case listen
}
