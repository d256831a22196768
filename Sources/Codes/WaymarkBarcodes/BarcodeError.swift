public import WaymarkSystem

/// An error of reading codes. A code that does not decode is not an error.
public typealias BarcodeError = Problem<BarcodeErrorCode>

/// The codes of `BarcodeError`.
public enum BarcodeErrorCode: String, ProblemCode, CaseIterable {
  /// The library could not make a scanner.
  case scannerUnavailable
  /// No symbology was chosen, so there is nothing to look for.
  case noSymbologies
}

extension Problem where Kind == BarcodeErrorCode {
  /// The library could not make a scanner.
  public static var scannerUnavailable: BarcodeError {
    BarcodeError(
      .scannerUnavailable, "libzbar could not create an image scanner", hint: "free some memory and try again")
  }

  /// No symbology was chosen, so there is nothing to look for.
  public static var noSymbologies: BarcodeError {
    BarcodeError(
      .noSymbologies, "the set of symbologies to look for is empty",
      hint: "name at least one symbology, for instance qr")
  }
}
