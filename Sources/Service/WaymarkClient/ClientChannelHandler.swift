import NIOCore
import WaymarkProtocol
import WaymarkSystem

/// Cuts what the service sends into lines and pictures, and hands them on.
final class ClientChannelHandler: ChannelDuplexHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  /// The longest line that a service may send.
  static let lineLimit = 64 << 20

  private let link: ClientLink
  private var buffer = ByteBuffer()
  private var scanned = 0
  private var header: MediaHeader?

  init(link: ClientLink) { self.link = link }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    var bytes = unwrapInboundIn(data)
    if buffer.readableBytes == 0 {
      buffer = bytes
      scanned = 0
    } else {
      buffer.discardReadBytes()
      buffer.writeBuffer(&bytes)
    }
    do {
      while try step() {}
    } catch {
      link.end(.failure(error))
      context.close(promise: nil)
    }
  }

  /// Takes one line or picture; false when more bytes are needed.
  private func step() throws -> Bool {
    if let header {
      guard let picture = buffer.readBytes(length: header.size) else { return false }
      self.header = nil
      scanned = 0
      link.received(ReceivedPicture(header: header, bytes: picture))
      return true
    }
    let view = buffer.readableBytesView
    guard let end = view[(view.startIndex + scanned)...].firstIndex(of: UInt8(ascii: "\n")) else {
      scanned = view.count
      guard scanned <= Self.lineLimit else { throw ClientError.badAnswer("a line longer than allowed") }
      return false
    }
    let line = view[view.startIndex..<end]
    scanned = 0
    buffer.moveReaderIndex(forwardBy: end - view.startIndex + 1)
    header = try link.received(line: line)
    return true
  }

  func read(context: ChannelHandlerContext) {
    if !link.shouldRest { context.read() }
  }

  func channelInactive(context: ChannelHandlerContext) {
    link.end(.failure(ClientError.lost))
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
