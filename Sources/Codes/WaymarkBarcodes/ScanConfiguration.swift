public import WaymarkSystem

/// The settings of a scanner: the symbologies to look for, and the effort per picture. The file also has the errors of a scanner
/// (``BarcodeError``).
public struct ScanConfiguration: Hashable, Sendable {
  /// The passes that a picture gets.
  public enum Effort: String, Hashable, Sendable, Codable, CaseIterable {
    /// One pass of libzbar without any addition, for comparison.
    case plain
    /// Frames of a camera: each gets little time, because the next frame is another chance.
    case live
    /// A still picture, or a scan on demand: every pass that may help.
    case still
  }

  /// The symbologies to look for.
  public var symbologies: Set<Symbology>
  /// The passes that each picture gets.
  public var effort: Effort

  /// Passes that the effort `still` leaves out, to measure the effect of each.
  public var withheld: Set<ScanPass>

  /// True if the search of a still picture ends with the first code that is accepted.
  public var stopsAtFirst = false

  /// Creates a configuration, by default with every pass for the common symbologies.
  public init(
    symbologies: Set<Symbology> = Symbology.common, effort: Effort = .still, withheld: Set<ScanPass> = []
  ) {
    self.symbologies = symbologies
    self.effort = effort
    self.withheld = withheld
  }

  /// The common symbologies with every pass.
  public static let still = ScanConfiguration()

  /// Returns a configuration that reads the symbologies within the time of a camera frame.
  public static func live(_ symbologies: Set<Symbology> = [.qr]) -> ScanConfiguration {
    ScanConfiguration(symbologies: symbologies, effort: .live)
  }
}

/// An error of the scanner. A code that cannot be decoded is not an error.
public typealias BarcodeError = Problem<BarcodeErrorCode>

/// The reasons for which a scanner cannot be created.
public enum BarcodeErrorCode: String, ProblemCode, CaseIterable {
  /// libzbar could not create a scanner.
  case scannerUnavailable
  /// No symbology is configured, so there is nothing to look for.
  case noSymbologies
}

extension Problem where Kind == BarcodeErrorCode {
  /// libzbar could not create a scanner.
  public static var scannerUnavailable: BarcodeError {
    BarcodeError(
      .scannerUnavailable, "libzbar could not create an image scanner", hint: "free some memory and try again")
  }

  /// No symbology is configured, so there is nothing to look for.
  public static var noSymbologies: BarcodeError {
    BarcodeError(
      .noSymbologies, "the set of symbologies to look for is empty",
      hint: "name at least one symbology, for instance qr")
  }
}
