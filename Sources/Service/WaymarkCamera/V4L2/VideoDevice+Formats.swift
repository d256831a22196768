import CV4L2
import Glibc
package import WaymarkFrames

extension VideoDevice {
  /// Everything the camera offers. Drivers that enumerate without end are cut short.
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

  /// Frames a second, falling; of a range its ends, and the range.
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
        // The shortest interval is the highest rate.
        let (highest, lowest) = (rate(raw.stepwise.min), rate(raw.stepwise.max))
        guard lowest > 0, lowest <= highest else { break }
        return ([highest, lowest], lowest...highest)
      }
    }
    return (rates.filter { $0 > 0 }.sorted(by: >), nil)
  }

  /// Frames a second of an interval; 0 for an invalid one. (Of a camera that tells an interval of 0, uvcvideo makes 100 ns.)
  private func rate(_ interval: v4l2_fract) -> Double {
    guard interval.numerator > 0, interval.denominator > 0 else { return 0 }
    let rate = Double(interval.denominator) / Double(interval.numerator)
    return rate <= VideoFormat.highestRate ? rate : 0
  }

  /// A format that the driver has accepted, which may be another one than was asked for.
  package struct Agreed: Sendable, Equatable {
    /// Form and size; nil format is not possible here.
    package var layout: PixelLayout
    /// Bytes that a buffer has at least.
    var imageSize: Int
    /// Frames a second; nil when the driver does not say.
    package var rate: Double?
  }

  /// Sets format, size and rate, and looks at what the driver has made of it.
  ///
  /// - Returns: what holds now; nil when it is nothing that can be read here.
  package func agree(fourCC: UInt32, width: Int, height: Int, rate wanted: Double?) throws(CameraFault) -> Agreed? {
    var raw = v4l2_format()
    raw.type = V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
    raw.fmt.pix.width = UInt32(clamping: width)
    raw.fmt.pix.height = UInt32(clamping: height)
    raw.fmt.pix.pixelformat = fourCC
    raw.fmt.pix.field = V4L2_FIELD_NONE.rawValue
    try call(wm_vidioc_s_fmt, &raw)
    // Drivers answer with what they can, without an error.
    let pix = raw.fmt.pix
    guard let format = PixelFormat(fourCC: pix.pixelformat), pix.width > 0, pix.height > 0,
      pix.width <= VideoFormat.longestSide, pix.height <= VideoFormat.longestSide
    else { return nil }
    var agreed = Agreed(
      layout: PixelLayout(
        format: format, width: Int(pix.width), height: Int(pix.height), bytesPerLine: Int(pix.bytesperline)),
      imageSize: Int(pix.sizeimage), rate: nil)
    var parameters = v4l2_streamparm()
    parameters.type = V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
    if let wanted, wanted > 0 {
      let thousandths = (min(wanted, VideoFormat.highestRate) * 1000).rounded()
      parameters.parm.capture.timeperframe = v4l2_fract(numerator: 1000, denominator: max(1, UInt32(thousandths)))
      // Refused: the driver has one rate only, which the next call tells.
      _ = attempt(wm_vidioc_s_parm, &parameters)
    }
    if attempt(wm_vidioc_g_parm, &parameters) >= 0 {
      let value = rate(parameters.parm.capture.timeperframe)
      agreed.rate = value > 0 ? value : nil
    }
    return agreed
  }
}
