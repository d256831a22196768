import Glibc

/// Splits a byte stream into JPEG pictures. Bytes between pictures, such as padding and the headers of a multipart stream, are
/// skipped. A picture that is cut off by the beginning of the next one is damaged. `Y4MHeader` below is for YUV4MPEG2, the other
/// format of streams: the size and layout of its frames.
///
/// The framer keeps its position, so that its work is linear in the number of bytes even if few bytes arrive at a time.
package struct MJPEGFramer: Sendable {
  package enum Item: Sendable, Equatable {
    /// A complete picture in this range of the buffer.
    case picture(Range<Int>)
    /// A damaged picture. It ends at this offset.
    case damaged(end: Int)
    /// More bytes are needed; the first `unused` bytes can be removed.
    case more(unused: Int)
  }

  /// The state of the walk over the picture at the beginning of the bytes; nil if no picture has begun.
  package private(set) var progress: JPEGStructure.Progress?

  package init() {}

  /// Finds the next item in the bytes that have not been consumed.
  ///
  /// After `more`, the next call has to pass the unconsumed bytes, followed by new bytes.
  package mutating func next(in bytes: UnsafeRawBufferPointer) -> Item {
    let start: Int
    if progress != nil {
      start = 0
    } else if let found = Self.beginning(in: bytes) {
      start = found
    } else {
      // The last bytes may be the beginning of a picture.
      return .more(unused: max(0, bytes.count - 2))
    }
    var walked = progress ?? JPEGStructure.Progress()
    progress = nil
    let rest = UnsafeRawBufferPointer(rebasing: bytes[start...])
    switch JPEGStructure.walk(rest, resuming: &walked, { _, _ in true }) {
    case .whole(let length): return .picture(start..<start + length)
    case .broken(let at): return .damaged(end: start + max(at, 2))
    case .short, .left:
      progress = walked
      return .more(unused: start)
    }
  }

  /// Returns the offset of the first SOI that is followed by the first byte of another marker; nil without such an SOI.
  private static func beginning(in bytes: UnsafeRawBufferPointer) -> Int? {
    var position = 0
    while position + 2 < bytes.count {
      if bytes[position] == 0xFF, bytes[position + 1] == 0xD8, bytes[position + 2] == 0xFF { return position }
      position += 1
    }
    return nil
  }
}

// MARK: - YUV4MPEG2

/// The header line of a YUV4MPEG2 stream (mjpegtools, yuv4mpeg(5)).
package struct Y4MHeader: Sendable, Equatable {
  package let width: Int
  package let height: Int
  /// The frames per second; nil if the header does not contain them.
  package let rate: Double?
  /// The planes of a frame, the luma first.
  let planes: [Plane]
  /// The layout of a frame: 4:2:0, or the luma alone if the chroma has another resolution.
  package let layout: PixelLayout

  /// The first bytes of every YUV4MPEG2 stream.
  package static let magic = Array("YUV4MPEG2".utf8)

  /// Parses the header line, without its newline.
  ///
  /// - Returns: nil for another format, for an unsupported colour format, such as more than 8 bits per sample, or for an invalid
  ///   size.
  package init?(line: some Collection<UInt8>) {
    let words = String(decoding: line, as: UTF8.self).split(separator: " ")
    guard words.first == "YUV4MPEG2" else { return nil }
    var (width, height, rate) = (0, 0, Double?.none)
    var colour = "420"
    for word in words.dropFirst() {
      let value = word.dropFirst()
      switch word.first {
      case "W": width = Int(value) ?? 0
      case "H": height = Int(value) ?? 0
      case "F":
        let parts = value.split(separator: ":").compactMap { Double($0) }
        if parts.count == 2, parts[0] > 0, parts[1] > 0 { rate = parts[0] / parts[1] }
      case "C": colour = String(value)
      default: break
      }
    }
    guard (1...16384).contains(width), (1...16384).contains(height) else { return nil }
    // The planes have GStreamer's memory layouts (gst-plugins-base, video-info.c, fill_planes): rows are rounded up to whole
    // multiples of four bytes, and the height of 4:2:0 to an even number.
    func plane(_ columns: Int, _ rows: Int, padded stride: Int, _ paddedRows: Int? = nil) -> Plane {
      Plane(columns: columns, rows: rows, paddedColumns: stride, paddedRows: paddedRows ?? rows)
    }
    func up(_ value: Int, _ step: Int) -> Int { (value + step - 1) / step * step }
    let luma = plane(width, height, padded: up(width, 4))
    let chroma: Plane
    switch colour {
    case "420", "420jpeg", "420mpeg2", "420paldv":
      let rows = (height + 1) / 2
      chroma = plane((width + 1) / 2, rows, padded: up((width + 1) / 2, 4))
      planes = [plane(width, height, padded: up(width, 4), 2 * rows), chroma, chroma]
      layout = PixelLayout(format: .yuv420, width: width, height: height)
    case "422", "444", "411":
      switch colour {
      case "422": chroma = plane((width + 1) / 2, height, padded: up(width, 8) / 2)
      case "444": chroma = luma
      default: chroma = plane((width + 3) / 4, height, padded: up(width, 16) / 4)
      }
      planes = [luma, chroma, chroma]
      layout = PixelLayout(format: .grey, width: width, height: height)
    case "mono":
      planes = [plane(width, height, padded: width)]
      layout = PixelLayout(format: .grey, width: width, height: height)
    default: return nil
    }
    self.width = width
    self.height = height
    self.rate = rate
  }

  /// The bytes of a frame, without and with padding. Against the format, the y4menc of GStreamer 1.22 writes the padding; GStreamer
  /// 1.26 does not.
  var frameBytes: (tight: Int, padded: Int) {
    planes.reduce(into: (0, 0)) { sum, plane in
      sum.tight += plane.columns * plane.rows
      sum.padded += plane.paddedColumns * plane.paddedRows
    }
  }

  /// Returns whether frames are padded; the position of the second frame's header shows this.
  ///
  /// - Parameters:
  ///   - bytes: the bytes from the first frame on, without its header.
  ///   - isEnd: true if the stream ends after the bytes.
  /// - Returns: nil if more bytes are needed.
  /// - Throws: `LayoutError` if no frame header follows the first frame in either layout.
  func isPadded(_ bytes: ArraySlice<UInt8>, isEnd: Bool = false) throws(LayoutError) -> Bool? {
    let (tight, padded) = frameBytes
    guard tight != padded else { return false }
    for (size, answer) in [(tight, false), (padded, true)] {
      if isEnd, bytes.count == size { return answer }
      let next = bytes.dropFirst(size).prefix(Self.frameMagic.count)
      guard Self.frameMagic.starts(with: next) else { continue }
      if next.count == Self.frameMagic.count { return answer }
      return isEnd ? false : nil
    }
    if isEnd { return false }
    throw LayoutError()
  }

  /// The frames have neither the size without padding nor the size with padding.
  struct LayoutError: Error {}

  /// The first bytes of each frame.
  static let frameMagic = Array("FRAME".utf8)

  /// Removes the padding of the frame that begins at the offset `start`. Its samples are then the first `frameBytes.tight` bytes
  /// from `start`; later bytes keep their positions.
  func compact(_ bytes: inout [UInt8], at start: Int) {
    bytes.withUnsafeMutableBytes { all in
      guard let base = all.baseAddress else { return }
      var (from, to) = (start, start)
      for plane in planes {
        for row in 0..<plane.rows {
          memmove(base + to, base + from + row * plane.paddedColumns, plane.columns)
          to += plane.columns
        }
        from += plane.paddedColumns * plane.paddedRows
      }
    }
  }

  /// The size of a plane in bytes, as the format defines it and as GStreamer pads it.
  struct Plane: Sendable, Equatable {
    let columns: Int
    let rows: Int
    let paddedColumns: Int
    let paddedRows: Int
  }
}
