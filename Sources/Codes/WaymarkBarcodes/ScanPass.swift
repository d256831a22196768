import WaymarkImage

/// The ways in which a picture is prepared for a reader, from the plain picture to preparations for codes that are hard to read.
/// The file also prepares the pictures (`PassPicture`) and estimates the cost of a pass over a live frame (`LiveBudget`).
public enum ScanPass: String, Hashable, Sendable, CaseIterable, Codable {
  /// The unprocessed picture, every row and column.
  case base
  /// The modules of a QR code, sampled individually through the map that its fixed patterns give.
  case modules
  /// Like `modules`, with finder patterns found in a larger or smaller copy of the picture.
  case modulesScaled
  /// Bars, straightened and averaged along their height.
  case strip
  /// Like `strip`, with the local contrast stretched to the full range.
  case stripStretched
  /// Like `strip`, with dark and light exchanged.
  case stripInverted
  /// The model of an EAN-13, fitted to straightened bars whose edges are too blurred to be measured.
  case fitted
  /// Thresholded at the local mean, every second row and column.
  case level
  /// Contrast around the local mean, stretched to the full range.
  case stretch
  /// Half the size of the picture.
  case half
  /// Halves the size of the picture, then applies `stretch`.
  case halfStretched
  /// Exchanges dark and light, then applies `stretch`.
  case inverted
  /// Local histogram equalisation.
  case equalized

  /// The passes over whole still pictures in their order: the most codes per cost first.
  static let ladder: [ScanPass] = [
    .level, .stretch, .half, .halfStretched, .inverted, .equalized,
  ]

  /// The measured cost of the pass, as a multiple of the cost of the base pass over the same picture.
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

// MARK: - Preparation

/// Prepares a picture for a pass.
enum PassPicture {
  /// - Returns: the prepared picture (`nil` for the source itself), the distance of the scan lines in pixels, and the map from the
  ///   pixels of the picture to pixels of the source.
  static func make(
    _ pass: ScanPass, _ view: ImageView, levels: () -> BlockMean
  ) -> (picture: GrayImage?, density: Int, toSource: (Point2) -> Point2) {
    func fromHalf(_ p: Point2) -> Point2 { p * 2 + 0.5 }
    func stretched(_ image: GrayImage) -> GrayImage { image.withView { BlockMean($0).stretch($0, gain: gain) } }
    switch pass {
    case .base, .modules, .modulesScaled, .strip, .stripStretched, .stripInverted, .fitted: return (nil, 1, { $0 })
    case .level: return (levels().threshold(view), 2, { $0 })
    case .stretch: return (levels().stretch(view, gain: gain), 1, { $0 })
    case .half: return (view.shrunk(by: 2), 1, fromHalf)
    case .halfStretched: return (stretched(view.shrunk(by: 2)), 1, fromHalf)
    case .inverted: return (stretched(ToneMapping.invert(view)), 1, { $0 })
    case .equalized: return (ToneMapping.equalize(view), 1, { $0 })
    }
  }

  /// The factor of the contrast stretch: it turns an edge of 32 gray levels into full black and white. A larger factor would lose
  /// the position of the edge between pixels.
  private static let gain = 8
}

// MARK: - Live frames

/// Estimates the cost of a pass over a whole live frame, and how many of its lines the pass may scan for a given cost.
///
/// The cost is an estimate from the number of edges in the frame, not a measured time, so that the same frames give the same
/// results on any machine. Its unit is one plain pass of libzbar over an ordinary frame of that size.
struct LiveBudget {
  /// The share of pixels at which a dark or light run begins, as a multiple of the share in an ordinary frame, 0.041.
  let edges: Double

  /// - Parameter busyness: the share of pixels at which a dark or light run begins.
  init(busyness: Double) { edges = busyness / 0.041 }

  /// The largest cost of a pass in every frame. A quarter of a plain pass is about the cost of the probe, modules, matrices and
  /// strips, so a frame without a code costs about half a plain pass.
  static let everyFrame = 0.25
  /// The largest cost of a pass in every other frame.
  static let everyOther = 0.4
  /// The largest cost of a pass in every fourth frame if there are traces of a code.
  static let everyFourth = 0.6
  /// The largest distance of scan lines: fewer lines miss the codes that the pass is for.
  private static let thinnest = 4

  /// Returns n if a pass may scan every n-th of its lines; `nil` if even the largest n costs too much.
  ///
  /// - Parameter most: the largest cost of the pass.
  func thinning(_ pass: ScanPass, within most: Double) -> Int? {
    let wanted = max(1, Int((cost(pass) / most).rounded(.up)))
    return wanted <= Self.thinnest ? wanted : nil
  }

  /// Returns the cost of a pass over all of its lines.
  func cost(_ pass: ScanPass) -> Double { Self.perPixel(pass) + Self.perEdge(pass) * edges }

  /// Returns the measured cost of a pass over a frame without edges.
  private static func perPixel(_ pass: ScanPass) -> Double {
    switch pass {
    case .level: 0.12
    case .half: 0.16
    case .inverted: 0.25
    default: 0.2
    }
  }

  /// Returns the measured cost of a pass that the edges of an ordinary frame add.
  private static func perEdge(_ pass: ScanPass) -> Double {
    switch pass {
    case .level: 0.26
    case .half: 0.19
    default: 0.68
    }
  }
}
