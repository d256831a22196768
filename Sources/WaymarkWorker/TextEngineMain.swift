import CSandbox
import Glibc
package import WaymarkImage
import WaymarkSystem
package import WaymarkText

/// The loop of the program that reads text: sets up its sandbox, then reads lines until its parent ends.
package enum TextEngineMain {
  /// Reads the picture of a line; nil when that failed.
  package typealias Reading = (ImageView, _ asksAll: Bool, LineAlphabet) -> [ReadSymbol]?

  /// Seconds for one line, a little more than who asks waits.
  private static let deadline: UInt32 = 15
  /// Tells that the engine gave up a line: the line is lost, the engine is not.
  private static let gaveUp = ImageError(
    .damagedPicture, "The engine could not read the picture of the line.", hint: "Try a larger or sharper picture.")

  /// Runs to the end of the process.
  ///
  /// - Parameters:
  ///   - problem: an errno where the networks could not be loaded; told, and nothing is read.
  ///   - reading: reads a line; everything that it opens is open by now.
  package static func run(problem: Int32, _ reading: Reading) {
    guard let seat = WorkerEndpoint(), seat.lockIn(refusing: problem) else { return }
    while let request = seat.next(TextRequest.self), let base = seat.arena.input.baseAddress {
      let view = ImageView(
        base: UnsafePointer(base.assumingMemoryBound(to: UInt8.self)), width: request.width, height: request.height,
        stride: request.width)
      csandbox_deadline(deadline)
      let symbols = reading(view, request.asksAll, request.alphabet)
      csandbox_deadline(0)
      let answer = symbols.map { seat.leave(TextReply.fitting($0)) } ?? seat.leave(Self.gaveUp, worked: false)
      guard let answer else { return }
      seat.say(answer)
    }
  }
}
