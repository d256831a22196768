import WaymarkImage

/// Formats that libv4l2 converts by moving bytes about: without compression, their size follows from the picture's, and libv4l2
/// refuses frames that are shorter.
enum UncompressedFormats {
  /// Four-character codes: RGB, YCbCr, gray and Bayer (linux/videodev2.h).
  static let codes: Set<UInt32> = Set(
    [
      "RGB3", "BGR3", "RGB4", "BGR4", "XR24", "BX24", "AR24", "BA24", "RGBP", "RGBO", "RGBQ", "RGBR", "R444", "YVYU",
      "VYUY", "YV12", "422P", "NV16", "NV61", "NV24", "NV42", "M420", "Y10 ", "Y12 ", "Y16 ", "Z16 ", "BA81", "GBRG",
      "GRBG", "RGGB", "BG10", "GB10", "BA10", "RG10", "BYR2", "GB16", "GR16", "RG16",
    ].map { text in text.utf8.enumerated().reduce(0) { $0 | UInt32($1.element) << (8 * UInt32($1.offset)) } })
}
