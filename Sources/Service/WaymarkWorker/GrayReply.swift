package import WaymarkImage
package import WaymarkSystem

/// The head of a gray picture that a worker left in the arena's output. The pixels lie behind it, rows without gaps.
package struct GrayReply: Equatable {
  package let width: Int
  package let height: Int
  /// The data ended before the picture did.
  package let isTruncated: Bool
  /// Something was odd about it.
  package let isDamaged: Bool

  /// Where the pixels begin: aligned for vector loads.
  package static let headSize = 64
  /// No picture has more pixels than this.
  package static let pixelLimit = WorkerArena.outputLimit - headSize

  package init(width: Int, height: Int, isTruncated: Bool = false, isDamaged: Bool = false) {
    self.width = width
    self.height = height
    self.isTruncated = isTruncated
    self.isDamaged = isDamaged
  }

  /// Bytes of head and pixels.
  package var byteCount: Int { Self.headSize + width * height }

  /// Leaves the head.
  package func write(to output: UnsafeMutableRawBufferPointer) { output.copyBytes(from: wireBytes) }

  /// Reads the head once, for it may change at any time, and believes nothing: nil for what cannot be meant.
  package init?(_ output: UnsafeMutableRawBufferPointer, count: Int) {
    guard let reply = try? GrayReply(wireBytes: Array(output[..<Self.headBytes])), reply.byteCount == count else {
      return nil
    }
    self = reply
  }

  /// The pixels, which a worker may still change.
  package func pixels(in output: UnsafeMutableRawBufferPointer) -> UnsafeMutableRawBufferPointer {
    UnsafeMutableRawBufferPointer(rebasing: output[Self.headSize..<byteCount])
  }
}

extension GrayReply: WireValue {
  /// The bytes of the head that are used.
  private static let headBytes = 12
  private static let fields = inOrder(ArenaPictureSize.wire, Wire<Int>.count(upTo: 3))

  package static let wire: Wire<GrayReply> = fields.map(
    { GrayReply(width: $0.0.width, height: $0.0.height, isTruncated: $0.1 & 1 != 0, isDamaged: $0.1 & 2 != 0) },
    { (ArenaPictureSize(width: $0.width, height: $0.height), ($0.isTruncated ? 1 : 0) | ($0.isDamaged ? 2 : 0)) })
}

/// How large a picture is, in pixels: no larger than what fits into an arena.
package struct ArenaPictureSize: Equatable, WireValue {
  package let width: Int
  package let height: Int

  package init(width: Int, height: Int) { (self.width, self.height) = (width, height) }

  private static let side: Wire<Int> = Wire<Int>.count(from: 1, upTo: GrayReply.pixelLimit)

  package static let wire: Wire<ArenaPictureSize> = inOrder(side, side)
    .map({ ArenaPictureSize(width: $0.0, height: $0.1) }, { ($0.width, $0.height) })
    .when { $0.width * $0.height <= GrayReply.pixelLimit }
}

extension Problem: WireValue where Kind == ImageErrorCode {
  /// No error has more bytes than this on its way.
  package static var byteLimit: Int { 4096 }

  package static var wire: Wire<ImageError> {
    let code: Wire<ImageErrorCode> = Wire<String>.text(upTo: 64).map(
      { ImageErrorCode(rawValue: $0) }, { $0.rawValue })
    let words: Wire<String> = Wire<String>.text(upTo: 1024)
    return inOrder(code, words, words).map({ ImageError($0.0, $0.1, hint: $0.2) }, { ($0.code, $0.message, $0.hint) })
  }
}
