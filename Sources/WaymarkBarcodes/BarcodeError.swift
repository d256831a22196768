/// What can go wrong when codes are to be read. A code that does not decode is no error.
public enum BarcodeError: Error, Hashable, Sendable {
  /// The library could not make a scanner.
  case scannerUnavailable
  /// No symbology was chosen, so there is nothing to look for.
  case noSymbologies

  /// A stable camelCase word for programs.
  public var code: String {
    switch self {
    case .scannerUnavailable: "scannerUnavailable"
    case .noSymbologies: "noSymbologies"
    }
  }

  /// What happened, to what.
  public var message: String {
    switch self {
    case .scannerUnavailable: "libzbar could not create an image scanner"
    case .noSymbologies: "the set of symbologies to look for is empty"
    }
  }

  /// What to do about it.
  public var hint: String {
    switch self {
    case .scannerUnavailable: "free some memory and try again"
    case .noSymbologies: "name at least one symbology, for instance qr"
    }
  }
}
