/// The orientation of the stored pixels relative to the upright picture: EXIF tag 0x0112, values 1 to 8
/// (CIPA DC-008, "Orientation"). The name says what has to be done to see it upright.
public enum Orientation: Int, Sendable, CaseIterable {
  /// Nothing.
  case upright = 1
  /// Mirror left and right.
  case mirror = 2
  /// Turn by half a circle.
  case turn180 = 3
  /// Mirror top and bottom.
  case flip = 4
  /// Exchange rows and columns (mirror over the main diagonal).
  case transpose = 5
  /// Turn a quarter clockwise.
  case turn90 = 6
  /// Mirror over the other diagonal.
  case transverse = 7
  /// Turn a quarter counter-clockwise.
  case turn270 = 8

  /// The orientation of so many quarter turns clockwise, of any sign.
  public init(quarterTurns: Int) {
    self =
      switch ((quarterTurns % 4) + 4) % 4 {
      case 1: .turn90
      case 2: .turn180
      case 3: .turn270
      default: .upright
      }
  }

  /// True if width and height change places.
  public var swapsSides: Bool { rawValue >= 5 }

  /// Which way steps go in the source while the destination is written row by row: the index of the first pixel, the step
  /// to the next pixel of a row, the step to the next row; all in pixels of a source of `width` x `height`.
  private func steps(width w: Int, height h: Int) -> (start: Int, column: Int, row: Int) {
    switch self {
    case .upright: (0, 1, w)
    case .mirror: (w - 1, -1, w)
    case .turn180: (w * h - 1, -1, -w)
    case .flip: ((h - 1) * w, 1, -w)
    case .transpose: (0, w, 1)
    case .turn90: ((h - 1) * w, -w, 1)
    case .transverse: (w * h - 1, -w, -1)
    case .turn270: (w - 1, w, -1)
    }
  }

  /// Writes the upright picture; `source` and `destination` have no gaps between rows and do not overlap.
  ///
  /// - Parameter channels: bytes a pixel.
  package func apply(
    _ source: UnsafePointer<UInt8>, width: Int, height: Int, channels: Int,
    to destination: UnsafeMutablePointer<UInt8>
  ) {
    guard width > 0, height > 0 else { return }
    let (start, column, row) = steps(width: width, height: height)
    let columns = swapsSides ? height : width
    let rows = swapsSides ? width : height
    // In tiles, so that turning by a quarter does not touch a new cache line for every pixel.
    let tile = 32
    for top in stride(from: 0, to: rows, by: tile) {
      for left in stride(from: 0, to: columns, by: tile) {
        for y in top..<min(rows, top + tile) {
          var from = start + y * row + left * column
          for x in left..<min(columns, left + tile) {
            let to = y &* columns &+ x
            if channels == 1 {
              destination[to] = source[from]
            } else {
              for c in 0..<channels { destination[to &* channels &+ c] = source[from &* channels &+ c] }
            }
            from &+= column
          }
        }
      }
    }
  }
}

extension GrayImage {
  /// The picture as `orientation` wants it seen; shares the pixels when nothing has to be done.
  public func oriented(_ orientation: Orientation) -> GrayImage {
    guard orientation != .upright else { return self }
    let turned = PixelBuffer(capacity: width * height)
    orientation.apply(buffer.bytes, width: width, height: height, channels: 1, to: turned.bytes)
    return orientation.swapsSides
      ? GrayImage(width: height, height: width, buffer: turned)
      : GrayImage(width: width, height: height, buffer: turned)
  }
}

extension RGBImage {
  /// The picture as `orientation` wants it seen; shares the pixels when nothing has to be done.
  public func oriented(_ orientation: Orientation) -> RGBImage {
    guard orientation != .upright else { return self }
    let turned = PixelBuffer(capacity: 3 * width * height)
    orientation.apply(buffer.bytes, width: width, height: height, channels: 3, to: turned.bytes)
    return orientation.swapsSides
      ? RGBImage(width: height, height: width, buffer: turned)
      : RGBImage(width: width, height: height, buffer: turned)
  }
}
