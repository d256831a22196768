package import WaymarkSystem

/// Why a bundle cannot be made, or is not taken.
package typealias BundleError = Problem<BundleErrorCode>

/// The codes of `BundleError`.
package enum BundleErrorCode: String, ProblemCode {
  /// A file or folder cannot be read or written.
  case cannotOpen
  /// It is not a bundle, or was changed after it was made.
  case badBundle
  /// Nobody who is trusted has signed it.
  case notSigned
  /// It is not newer than what this device has had.
  case oldVersion
  /// The content to be packed cannot stand in a bundle.
  case badContent
  /// The service did not come up with it; what was there before is there again.
  case notReady
}

extension Problem where Kind == BundleErrorCode {
  static func bad(_ what: String) -> BundleError {
    BundleError(.badBundle, "The file is not a Waymark bundle: \(what)", hint: "Download it again from its maker.")
  }

  static func file(_ path: String, cannotBe verb: String, number: Int32) -> BundleError {
    let error = FileError(path, cannotBe: verb, number: number)
    return BundleError(.cannotOpen, error.message, hint: error.hint, cause: error.cause)
  }
}
