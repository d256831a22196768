import WaymarkImage

/// What a worker says of a gray picture that it left in the arena's output: its head. The pixels lie behind it, rows without gaps.
struct GrayReply: Equatable {
  let width: Int
  let height: Int
  /// The data ended before the picture did.
  let isTruncated: Bool
  /// Something was odd about it.
  let isDamaged: Bool

  /// Where the pixels begin: aligned for vector loads.
  static let headSize = 64
  /// No picture has more pixels than this.
  static let pixelLimit = WorkerArena.outputLimit - headSize

  init(width: Int, height: Int, isTruncated: Bool = false, isDamaged: Bool = false) {
    self.width = width
    self.height = height
    self.isTruncated = isTruncated
    self.isDamaged = isDamaged
  }

  /// Bytes of head and pixels.
  var byteCount: Int { Self.headSize + width * height }

  /// Leaves the head.
  func write(to output: UnsafeMutableRawBufferPointer) {
    let numbers = [width, height, (isTruncated ? 1 : 0) | (isDamaged ? 2 : 0)]
    for (place, number) in numbers.enumerated() {
      output.storeBytes(of: UInt32(clamping: number).littleEndian, toByteOffset: 4 * place, as: UInt32.self)
    }
  }

  /// Reads the head once, for it may change at any time, and believes nothing: nil for what cannot be meant.
  init?(_ output: UnsafeMutableRawBufferPointer, count: Int) {
    func number(_ place: Int) -> Int {
      Int(UInt32(littleEndian: output.load(fromByteOffset: 4 * place, as: UInt32.self)))
    }
    let (width, height, flags) = (number(0), number(1), number(2))
    guard width > 0, height > 0, width <= Self.pixelLimit, height <= Self.pixelLimit, width * height <= Self.pixelLimit,
      flags <= 3
    else { return nil }
    self.init(
      width: width, height: height, isTruncated: flags & 1 != 0, isDamaged: flags & 2 != 0)
    guard byteCount == count else { return nil }
  }

  /// The pixels, which a worker may still change.
  func pixels(in output: UnsafeMutableRawBufferPointer) -> UnsafeMutableRawBufferPointer {
    UnsafeMutableRawBufferPointer(rebasing: output[Self.headSize..<byteCount])
  }
}
