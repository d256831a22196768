import WaymarkImage

/// The sizes of a picture in which finder patterns are looked for anew, the cheapest first.
enum FinderSize: CaseIterable {
  case third
  case half
  case whole
  case double

  /// Pixels for one of the source.
  var scale: Double {
    switch self {
    case .third: 1.0 / 3
    case .half: 0.5
    case .whole: 1
    case .double: 2
    }
  }

  /// Whether it is worth it: small pictures have no code that is clearer at a third, and large ones are sharp enough
  /// without being doubled.
  func fits(_ width: Int, _ height: Int, _ pixels: Int) -> Bool {
    switch self {
    case .third: pixels >= 120_000 && min(width, height) >= 120
    case .half: min(width, height) >= 64
    case .whole: true
    case .double: pixels <= 400_000
    }
  }

  /// `nil` for the picture itself.
  func draw(_ view: ImageView) -> GrayImage? {
    switch self {
    case .third: Resampling.shrink(view, by: 3)
    case .half: Resampling.shrink(view, by: 2)
    case .whole: nil
    case .double: Resampling.double(view)
    }
  }
}
