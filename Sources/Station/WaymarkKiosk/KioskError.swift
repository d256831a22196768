package import WaymarkSystem

/// The reason why the kiosk cannot run.
package typealias KioskError = Problem<KioskErrorCode>

package enum KioskErrorCode: String, ProblemCode, CaseIterable {
  /// The token file cannot be used.
  case tokenFile
  /// The file with the page's address, or the file that opens it, cannot be written.
  case addressFile
  /// The folder with the page's files is missing.
  case assets
  /// The address to listen on is wrong or taken.
  case listen
}
