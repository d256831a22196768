package import WaymarkFrames

/// A format that a camera offers, with its sizes and rates.
package struct VideoFormat: Sendable, Equatable {
  /// The four characters of the format as a little-endian number (V4L2_PIX_FMT_…).
  var fourCC: UInt32
  /// The driver's words for it.
  package var name: String
  /// True if libv4l2 makes it of something else.
  var isEmulated: Bool
  /// The sizes that it offers.
  package var sizes: [FrameSize]

  /// An offer.
  package init(fourCC: UInt32, name: String = "", isEmulated: Bool = false, sizes: [FrameSize] = []) {
    self.fourCC = fourCC
    self.name = name
    self.isEmulated = isEmulated
    self.sizes = sizes
  }

  /// The format when frames of it can be read here.
  package var format: PixelFormat? { PixelFormat(fourCC: fourCC) }

  /// No camera that is meant for this gives more frames a second.
  static let highestRate = 1000.0
  /// No picture is read that has a longer side, in pixels.
  package static let longestSide = 16384

  /// A size, or a range of sizes, with its rates.
  package struct FrameSize: Sendable, Equatable {
    /// Widths in pixels.
    package var width: ClosedRange<Int>
    /// Heights in pixels.
    package var height: ClosedRange<Int>
    /// Distance between two widths in a range.
    var widthStep: Int
    /// Distance between two heights in a range.
    var heightStep: Int
    /// Frames a second, falling; empty when the driver does not say.
    package var rates: [Double]
    /// Set when every rate between two is offered, not only those of `rates`.
    var rateRange: ClosedRange<Double>?

    /// One size.
    package init(width: Int, height: Int, rates: [Double], rateRange: ClosedRange<Double>? = nil) {
      self.init(width: width...width, height: height...height, rates: rates, rateRange: rateRange)
    }

    /// A range of sizes.
    package init(
      width: ClosedRange<Int>, height: ClosedRange<Int>, widthStep: Int = 1, heightStep: Int = 1, rates: [Double],
      rateRange: ClosedRange<Double>? = nil
    ) {
      self.width = width
      self.height = height
      self.widthStep = max(1, widthStep)
      self.heightStep = max(1, heightStep)
      self.rates = rates
      self.rateRange = rateRange
    }

    /// The rate of this offer to ask for: the next higher one, else the highest; the one wanted where all are offered.
    package func rate(nearest wanted: Double) -> Double {
      if let rateRange { return min(max(wanted, rateRange.lowerBound), rateRange.upperBound) }
      return rates.filter { $0 >= wanted - 0.5 }.min() ?? rates.max() ?? wanted
    }

    /// The size of this offer that comes nearest to the one wanted, at least as large where that is possible.
    package func nearest(width wanted: Int, height wantedHeight: Int) -> (width: Int, height: Int) {
      (
        Self.step(wanted, in: width, by: widthStep), Self.step(wantedHeight, in: height, by: heightStep)
      )
    }

    private static func step(_ value: Int, in range: ClosedRange<Int>, by step: Int) -> Int {
      let steps = (max(value, range.lowerBound) - range.lowerBound + step - 1) / step
      return min(range.lowerBound + steps * step, range.upperBound)
    }
  }
}

extension PixelFormat {
  /// The format of a V4L2 four-character code; nil when frames of it cannot be read here.
  package init?(fourCC: UInt32) {
    // Some cameras call their Motion JPEG plain JPEG.
    let text = PixelFormat.text(ofFourCC: fourCC)
    self.init(rawValue: text == "JPEG" ? "MJPG" : text)
  }

  /// The V4L2 four-character code.
  var fourCC: UInt32 {
    rawValue.utf8.enumerated().reduce(0) { $0 | UInt32($1.element) << (8 * UInt32($1.offset)) }
  }

  /// The four characters of a code; unprintable ones as dots.
  package static func text(ofFourCC code: UInt32) -> String {
    String(
      decoding: (0..<4).map { index -> UInt8 in
        let byte = UInt8(truncatingIfNeeded: code >> (8 * UInt32(index))) & 0x7F
        return byte >= 0x20 && byte < 0x7F ? byte : 0x2E
      }, as: UTF8.self)
  }
}
