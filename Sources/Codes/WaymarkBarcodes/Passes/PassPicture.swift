import WaymarkImage

/// The picture that a pass gives to the library, and the way back to the source.
enum PassPicture {
  /// - Returns: the picture (`nil`: the source itself), the line step (every nth line is looked at), and the map from its
  ///   pixels to those of the source.
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

  /// So steep that an edge of 32 gray levels becomes full black and white, and no steeper, that it keeps its place
  /// between pixels.
  private static let gain = 8
}
