import CV4L2
import Glibc
package import WaymarkFrames
import WaymarkImage

/// A format that a camera offers, with its sizes and rates. `FormatNegotiation` below ranks these formats; `UncompressedFormats`
/// are the formats that libv4l2 may always convert.
package struct VideoFormat: Sendable, Equatable {
  /// The V4L2 pixel format (V4L2_PIX_FMT_…): four characters, the first in the least significant byte.
  var fourCC: UInt32
  /// The driver's name for the format.
  package var name: String
  /// True if libv4l2 produces this format by converting another.
  var isEmulated: Bool
  package var sizes: [FrameSize]

  package init(fourCC: UInt32, name: String = "", isEmulated: Bool = false, sizes: [FrameSize] = []) {
    self.fourCC = fourCC
    self.name = name
    self.isEmulated = isEmulated
    self.sizes = sizes
  }

  /// The pixel format in which frames are read, as they are or converted by the service; nil if they cannot be read.
  package var format: PixelFormat? { PixelFormat(fourCC: fourCC) ?? PlainConversion.result(fourCC: fourCC) }
  /// The number of conversions of a frame, by libv4l2 and by the service.
  var conversions: Int { (isEmulated ? 1 : 0) + (PixelFormat(fourCC: fourCC) == nil ? 1 : 0) }

  /// The maximum frames per second; higher reported rates are invalid.
  static let highestRate = 1000.0
  /// The maximum length of a picture's side, in pixels.
  package static let longestSide = 16384

  /// A size, or a range of sizes, with its rates.
  package struct FrameSize: Sendable, Equatable {
    /// The widths in pixels; a single one if the driver reports a fixed size.
    package var width: ClosedRange<Int>
    /// The heights in pixels; a single one if the driver reports a fixed size.
    package var height: ClosedRange<Int>
    /// The step between two widths, in pixels.
    var widthStep: Int
    /// The step between two heights, in pixels.
    var heightStep: Int
    /// The frames per second, in descending order; empty if the driver does not report them.
    package var rates: [Double]
    /// The range in which all rates are offered; nil if only the rates in `rates` are.
    var rateRange: ClosedRange<Double>?

    package init(width: Int, height: Int, rates: [Double], rateRange: ClosedRange<Double>? = nil) {
      self.init(width: width...width, height: height...height, rates: rates, rateRange: rateRange)
    }

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

    /// Returns the rate to request. In a range, this is the rate nearest to `wanted`. Of single rates, it is the lowest that is not
    /// more than 0.5 below `wanted`, or else the highest. If the camera reports no rates, it is `wanted`.
    package func rate(nearest wanted: Double) -> Double {
      if let rateRange { return min(max(wanted, rateRange.lowerBound), rateRange.upperBound) }
      return rates.filter { $0 >= wanted - 0.5 }.min() ?? rates.max() ?? wanted
    }

    /// Returns the offered size that is nearest to the requested one, and at least as large if possible.
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
  /// Creates the format that is V4L2's pixel format `fourCC`; nil if its frames are not read as they are.
  package init?(fourCC: UInt32) {
    // Some cameras report Motion JPEG as JPEG.
    let text = PixelFormat.text(ofFourCC: fourCC)
    self.init(rawValue: text == "JPEG" ? "MJPG" : text)
  }

  var fourCC: UInt32 {
    rawValue.utf8.enumerated().reduce(0) { $0 | UInt32($1.element) << (8 * UInt32($1.offset)) }
  }

  /// Returns the four characters of a V4L2 pixel format, with dots for unprintable ones.
  package static func text(ofFourCC code: UInt32) -> String {
    String(
      decoding: (0..<4).map { index -> UInt8 in
        let byte = UInt8(truncatingIfNeeded: code >> (8 * UInt32(index))) & 0x7F
        return byte >= 0x20 && byte < 0x7F ? byte : 0x2E
      }, as: UTF8.self)
  }
}

// MARK: - Reading and setting formats

extension VideoDevice {
  /// Returns the formats that the camera offers, at most 64, since some drivers enumerate without end.
  package func offers() -> [VideoFormat] {
    var offers: [VideoFormat] = []
    for index in 0..<64 {
      var raw = v4l2_fmtdesc()
      raw.index = UInt32(index)
      raw.type = V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
      guard attempt(wm_vidioc_enum_fmt, &raw) >= 0 else { break }
      offers.append(
        VideoFormat(
          fourCC: raw.pixelformat, name: text(of: &raw.description),
          isEmulated: raw.flags & UInt32(V4L2_FMT_FLAG_EMULATED) != 0, sizes: sizes(of: raw.pixelformat)))
    }
    return offers
  }

  private func sizes(of fourCC: UInt32) -> [VideoFormat.FrameSize] {
    var sizes: [VideoFormat.FrameSize] = []
    for index in 0..<256 {
      var raw = v4l2_frmsizeenum()
      raw.index = UInt32(index)
      raw.pixel_format = fourCC
      guard attempt(wm_vidioc_enum_framesizes, &raw) >= 0 else { break }
      if raw.type == V4L2_FRMSIZE_TYPE_DISCRETE.rawValue {
        let (width, height) = (Int(raw.discrete.width), Int(raw.discrete.height))
        let (rates, range) = rates(of: fourCC, width, height)
        sizes.append(.init(width: width, height: height, rates: rates, rateRange: range))
        continue
      }
      let range = raw.stepwise
      guard range.min_width <= range.max_width, range.min_height <= range.max_height else { break }
      let (rates, rateRange) = rates(of: fourCC, Int(range.max_width), Int(range.max_height))
      sizes.append(
        .init(
          width: Int(range.min_width)...Int(range.max_width), height: Int(range.min_height)...Int(range.max_height),
          widthStep: Int(range.step_width), heightStep: Int(range.step_height),
          rates: rates, rateRange: rateRange))
      break
    }
    return sizes
  }

  /// Returns the frames per second in descending order; for a range, its bounds and the range.
  private func rates(
    of fourCC: UInt32, _ width: Int, _ height: Int
  ) -> (rates: [Double], range: ClosedRange<Double>?) {
    var rates: [Double] = []
    for index in 0..<64 {
      var raw = v4l2_frmivalenum()
      raw.index = UInt32(index)
      raw.pixel_format = fourCC
      raw.width = UInt32(width)
      raw.height = UInt32(height)
      guard attempt(wm_vidioc_enum_frameintervals, &raw) >= 0 else { break }
      if raw.type == V4L2_FRMIVAL_TYPE_DISCRETE.rawValue {
        rates.append(rate(raw.discrete))
      } else {
        // The shortest interval has the highest rate.
        let (highest, lowest) = (rate(raw.stepwise.min), rate(raw.stepwise.max))
        guard lowest > 0, lowest <= highest else { break }
        return ([highest, lowest], lowest...highest)
      }
    }
    return (rates.filter { $0 > 0 }.sorted(by: >), nil)
  }

  /// Returns the frames per second of an interval; 0 for an invalid interval. (For an interval of 0 from the camera, uvcvideo
  /// reports 100 ns.)
  private func rate(_ interval: v4l2_fract) -> Double {
    guard interval.numerator > 0, interval.denominator > 0 else { return 0 }
    let rate = Double(interval.denominator) / Double(interval.numerator)
    return rate <= VideoFormat.highestRate ? rate : 0
  }

  /// The format that the driver accepted, which may differ from the requested one.
  package struct Agreed: Sendable, Equatable {
    /// The format and size of frames, after `conversion`.
    package var layout: PixelLayout
    /// The frames per second; nil if the driver does not report them.
    package var rate: Double?
    /// Converts the captured pictures to `layout`; nil if they already have that layout.
    package var conversion: PlainConversion?
  }

  /// Sets format, size and rate, and reads the values that the driver accepted. If libv4l2 converts to the format (`isEmulated`),
  /// only exactly this format is accepted, because libv4l2 also offers formats that it cannot make, and then delivers the camera's
  /// format, or rows of another length.
  ///
  /// - Returns: the accepted format; nil if its frames cannot be read.
  /// - Throws: `CameraFault.unsupported` if the driver's answer contradicts itself or, from libv4l2, the request; the fault for a
  ///   refused request.
  package func agree(
    fourCC: UInt32, width: Int, height: Int, rate wanted: Double?, isEmulated: Bool = false
  ) throws(CameraFault) -> Agreed? {
    var raw = v4l2_format()
    raw.type = V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
    raw.fmt.pix.width = UInt32(clamping: width)
    raw.fmt.pix.height = UInt32(clamping: height)
    raw.fmt.pix.pixelformat = fourCC
    raw.fmt.pix.field = V4L2_FIELD_NONE.rawValue
    try call(wm_vidioc_s_fmt, &raw)
    // A driver that does not support the format sets the nearest one without an error.
    let pix = raw.fmt.pix
    let (columns, rows, stride) = (Int(pix.width), Int(pix.height), Int(pix.bytesperline))
    let name = PixelFormat.text(ofFourCC: pix.pixelformat)
    guard !isEmulated || pix.pixelformat == fourCC else {
      let requested = PixelFormat.text(ofFourCC: fourCC)
      throw .unsupported("libv4l2 offers \(requested), but answers with \(name)")
    }
    guard (1...VideoFormat.longestSide).contains(columns), (1...VideoFormat.longestSide).contains(rows) else {
      return nil
    }
    var agreed: Agreed
    if let format = PixelFormat(fourCC: pix.pixelformat) {
      let least = format.minimumBytesPerLine(width: columns)
      guard stride == 0 || stride == least || !isEmulated && stride > least || format.isCompressed else {
        throw .unsupported("it answers \(name) of \(columns) × \(rows) pixels in rows of \(stride) bytes")
      }
      agreed = Agreed(layout: PixelLayout(format: format, width: columns, height: rows, bytesPerLine: stride))
    } else {
      guard PlainConversion.result(fourCC: pix.pixelformat) != nil else { return nil }
      let conversion = PlainConversion(
        fourCC: pix.pixelformat, width: columns, height: rows, bytesPerLine: stride)
      guard let conversion else {
        throw .unsupported("it answers \(name) of \(columns) × \(rows) pixels in rows of \(stride) bytes")
      }
      agreed = Agreed(layout: conversion.layout, conversion: conversion)
    }
    var parameters = v4l2_streamparm()
    parameters.type = V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
    if let wanted, wanted > 0 {
      let thousandths = (min(wanted, VideoFormat.highestRate) * 1000).rounded()
      parameters.parm.capture.timeperframe = v4l2_fract(numerator: 1000, denominator: max(1, UInt32(thousandths)))
      // A driver that refuses has a single rate, which the next call reads.
      _ = attempt(wm_vidioc_s_parm, &parameters)
    }
    if attempt(wm_vidioc_g_parm, &parameters) >= 0 {
      let value = rate(parameters.parm.capture.timeperframe)
      agreed.rate = value > 0 ? value : nil
    }
    return agreed
  }
}

// MARK: - Ranking formats

/// Ranks the formats that a camera offers. Pure.
package enum FormatNegotiation {
  /// A format, size and rate to request from the driver.
  package struct Candidate: Sendable, Equatable {
    /// The V4L2 pixel format (V4L2_PIX_FMT_…).
    var fourCC: UInt32
    package var width: Int
    package var height: Int
    package var rate: Double
    /// True if libv4l2 converts to the format.
    var isEmulated = false
  }

  /// Returns the formats to request, the best first. The driver may accept another format.
  ///
  /// They are ranked by size (first the requested size, then larger, then smaller sizes), then by rate, then by whether the camera
  /// delivers the format without conversion, then by the order of `settings.formats`.
  /// delivers the format without conversion, then by the order of `settings.formats`.
  package static func candidates(_ offers: [VideoFormat], settings: CameraSettings) -> [Candidate] {
    var ranked: [(candidate: Candidate, cost: [Double])] = []
    for offer in offers {
      guard let format = offer.format, let preference = settings.formats.firstIndex(of: format) else { continue }
      // If the driver lists no sizes, the configured size is requested.
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
            Candidate(
              fourCC: offer.fourCC, width: width, height: height, rate: rate, isEmulated: offer.isEmulated),
            sizeCost(width, height, settings) + [
              max(0, settings.rate - 0.5 - rate), Double(offer.conversions), Double(preference),
            ]
          ))
      }
    }
    return ranked.sorted { $0.cost.lexicographicallyPrecedes($1.cost) }.map(\.candidate)
  }

  /// Returns the costs of a size: 1 if a side is smaller than requested, else 0; and the difference in the number of
  /// pixels.
  private static func sizeCost(_ width: Int, _ height: Int, _ settings: CameraSettings) -> [Double] {
    let tooSmall = width < settings.width || height < settings.height
    return [tooSmall ? 1 : 0, Double(abs(width * height - settings.width * settings.height))]
  }
}

/// The uncompressed formats that only libv4l2 converts. The conversion is safe: it rearranges bytes, the size of a frame follows
/// from the size of the picture, and libv4l2 refuses shorter frames.
enum UncompressedFormats {
  /// Their V4L2 pixel formats (linux/videodev2.h).
  static let codes: Set<UInt32> = Set(
    ["RGBO", "RGBQ", "RGBR", "R444", "M420", "Z16 "].map { text in
      text.utf8.enumerated().reduce(0) { $0 | UInt32($1.element) << (8 * UInt32($1.offset)) }
    })
}
