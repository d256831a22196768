/// The ways in which a picture is given to the reader, from the plain one to those that rescue a hard code.
public enum ScanPass: String, Hashable, Sendable, CaseIterable, Codable {
  /// The picture as it is, every row and column.
  case base
  /// The modules of a QR code, sampled one by one through the map that its fixed patterns give.
  case modules
  /// The same, its finder patterns having been found in a larger or smaller copy of the picture.
  case modulesScaled
  /// Bars, straightened, and averaged along their height.
  case strip
  /// The same with the contrast of its surroundings stretched to the full.
  case stripStretched
  /// The same with light for dark.
  case stripInverted
  /// The model of an EAN-13, fitted to straightened bars that are too blurred for their edges.
  case fitted
  /// Black and white at the mean of the surroundings, every second row and column.
  case level
  /// Contrast around the mean of the surroundings stretched to the full.
  case stretch
  /// Half the size.
  case half
  /// Half the size, stretched.
  case halfStretched
  /// Light for dark, stretched.
  case inverted
  /// Local histogram equalisation.
  case equalized

  /// The passes over whole pictures in the order in which a still picture gets them: by gain for cost.
  static let ladder: [ScanPass] = [
    .level, .stretch, .half, .halfStretched, .inverted, .equalized,
  ]

  /// The cost, as a share of the base pass over the same picture; measured, for budgets.
  var cost: Double {
    switch self {
    case .modules, .strip, .stripStretched, .stripInverted, .fitted: 0.1
    case .modulesScaled: 0.3
    case .base: 1
    case .level: 0.35
    case .stretch, .inverted: 0.85
    case .half, .halfStretched: 0.3
    case .equalized: 1.5
    }
  }
}
