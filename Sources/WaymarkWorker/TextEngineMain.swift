import CSandbox
import Glibc
package import WaymarkImage
package import WaymarkText

/// The loop of the program that reads text: locks itself in, then reads lines until whoever started it is gone.
package struct TextEngineMain: ~Copyable {
  /// Reads the picture of a line; nil when that failed.
  package typealias Reading = (ImageView, _ asksAll: Bool, LineAlphabet) -> [ReadSymbol]?

  private let arena: WorkerArena
  /// Seconds for one line, a little more than who asks waits.
  private static let deadline: UInt32 = 15

  /// Runs to the end of the process.
  ///
  /// - Parameters:
  ///   - problem: an errno where the networks could not be loaded; told, and nothing is read.
  ///   - reading: reads a line; everything that it opens is open by now.
  package static func run(problem: Int32, _ reading: Reading) {
    guard let arena = WorkerArena(owning: CInt(CSANDBOX_ARENA)) else { return }
    let refused = problem != 0 ? problem : csandbox_enter()
    guard refused == 0 else {
      say(WorkerMain.refusal, UInt32(bitPattern: refused))
      return
    }
    say(WorkerMain.greeting, csandbox_try_forbidden())
    let engine = TextEngineMain(arena: arena)
    engine.serve(reading)
  }

  private init(arena: consuming WorkerArena) { self.arena = arena }

  private func serve(_ reading: Reading) {
    while let bytes = Self.receive(), let request = TextRequest(bytes), let base = arena.input.baseAddress {
      let view = ImageView(
        base: UnsafePointer(base.assumingMemoryBound(to: UInt8.self)), width: request.width, height: request.height,
        stride: request.width)
      csandbox_deadline(Self.deadline)
      let symbols = reading(view, request.asksAll, request.alphabet)
      csandbox_deadline(0)
      var wire = WireWriter()
      TextReply.write(symbols ?? [], to: &wire)
      guard wire.bytes.count <= WorkerArena.outputLimit else { return }
      arena.output.copyBytes(from: wire.bytes)
      Self.say(symbols == nil ? 1 : 0, UInt32(wire.bytes.count))
    }
  }

  private static func say(_ first: UInt32, _ second: UInt32) {
    var numbers = [first.littleEndian, second.littleEndian]
    _ = numbers.withUnsafeMutableBytes { write(CInt(CSANDBOX_CHANNEL), $0.baseAddress, $0.count) }
  }

  private static func receive() -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: TextRequest.byteCount)
    while true {
      let count = read(CInt(CSANDBOX_CHANNEL), &bytes, bytes.count)
      if count < 0, errno == EINTR { continue }
      return count == bytes.count ? bytes : nil
    }
  }
}
