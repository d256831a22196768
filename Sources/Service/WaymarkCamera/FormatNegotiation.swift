import WaymarkImage

/// Which of the formats that a camera offers to ask for, in which order. Pure.
package enum FormatNegotiation {
  /// One thing to ask the driver for.
  package struct Candidate: Sendable, Equatable {
    /// V4L2_PIX_FMT_…
    var fourCC: UInt32
    /// Width in pixels.
    package var width: Int
    /// Height in pixels.
    package var height: Int
    /// Frames a second.
    package var rate: Double
  }

  /// Returns the formats to ask for, best first. Only the driver knows which it will give in the end.
  ///
  /// The size comes first (exact, else the next larger one, else the largest), then the rate, then whether the camera makes
  /// the format itself, then the order of `settings.formats`.
  package static func candidates(_ offers: [VideoFormat], settings: CameraSettings) -> [Candidate] {
    var ranked: [(candidate: Candidate, cost: [Double])] = []
    for offer in offers {
      guard let format = offer.format, let preference = settings.formats.firstIndex(of: format) else { continue }
      // A driver that does not tell its sizes is asked for the one wanted.
      let sizes =
        offer.sizes.isEmpty
        ? [VideoFormat.FrameSize(width: settings.width, height: settings.height, rates: [])] : offer.sizes
      for size in sizes {
        let (width, height) = size.nearest(width: settings.width, height: settings.height)
        let sides = 1...VideoFormat.longestSide
        guard sides.contains(width), sides.contains(height) else { continue }
        let rate = size.rate(nearest: settings.rate)
        ranked.append(
          (
            Candidate(fourCC: offer.fourCC, width: width, height: height, rate: rate),
            sizeCost(width, height, settings) + [
              max(0, settings.rate - 0.5 - rate), offer.isEmulated ? 1 : 0, Double(preference),
            ]
          ))
      }
    }
    return ranked.sorted { $0.cost.lexicographicallyPrecedes($1.cost) }.map(\.candidate)
  }

  /// First whether it is too small, then by how many pixels it is off.
  private static func sizeCost(_ width: Int, _ height: Int, _ settings: CameraSettings) -> [Double] {
    let tooSmall = width < settings.width || height < settings.height
    return [tooSmall ? 1 : 0, Double(abs(width * height - settings.width * settings.height))]
  }
}
