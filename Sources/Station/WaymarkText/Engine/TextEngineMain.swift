import CSandbox
import Glibc
package import WaymarkImage
import WaymarkSystem
import WaymarkWorker

/// The loop of the program that reads text: sets up its sandbox, then reads lines until its parent ends.
package enum TextEngineMain {
  /// Reads the picture of a line with Tesseract's networks; nil when that failed.
  package typealias Reading = (ImageView, _ asksAll: Bool, LineAlphabet) -> [ReadSymbol]?
  /// Reads it with Waymark's own network; nil when that failed.
  package typealias LatticeReading = (ImageView) -> LineLattice?

  /// Seconds for one line, a little more than who asks waits.
  private static let deadline: UInt32 = 15
  /// Tells that the engine gave up a line: the line is lost, the engine is not.
  private static let gaveUp = ImageError(
    .damagedPicture, "The engine could not read the picture of the line.", hint: "Try a larger or sharper picture.")

  /// Runs to the end of the process.
  ///
  /// - Parameters:
  ///   - problem: an errno where the networks could not be loaded; told, and nothing is read.
  ///   - lattice: reads a line with the network that needs nothing to be opened.
  ///   - reading: reads a line; everything that it opens is open by now.
  package static func run(problem: Int32, lattice: LatticeReading, _ reading: Reading) {
    guard let seat = WorkerEndpoint(), seat.lockIn(refusing: problem) else { return }
    while let request = seat.next(TextRequest.self), let base = seat.arena.input.baseAddress {
      let view = ImageView(
        base: UnsafePointer(base.assumingMemoryBound(to: UInt8.self)), width: request.width, height: request.height,
        stride: request.width)
      csandbox_deadline(deadline)
      let answer =
        switch request.reader {
        case .own: lattice(view).map { seat.leave(LatticeReply(lattice: $0)) }
        case .firstLanguage, .allLanguages:
          reading(view, request.reader == .allLanguages, request.alphabet).map { seat.leave(TextReply.fitting($0)) }
        }
      csandbox_deadline(0)
      let given = answer ?? seat.leave(Self.gaveUp, worked: false)
      guard let given else { return }
      seat.say(given)
    }
  }
}
