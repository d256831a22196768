import WaymarkImage
import WaymarkSystem

extension ImageError {
  /// No error has more bytes than this on its way.
  static let byteLimit = 4096

  func write(to wire: inout WireWriter) {
    wire.text(code.rawValue)
    wire.text(message)
    wire.text(hint)
  }

  init(_ wire: inout WireReader) throws(WireReader.Malformed) {
    guard let code = ImageError.Code(rawValue: try wire.text(upTo: 64)) else { throw WireReader.Malformed() }
    let message = try wire.text(upTo: 1024)
    self.init(code, message, hint: try wire.text(upTo: 1024))
  }
}
