import CSandbox
package import WaymarkImage
import WaymarkSystem

/// The loop of the program that converts pictures: sets up its sandbox, then decodes pages until its parent ends.
package enum ConverterMain {
  /// Decodes a page, from 0.
  package typealias Decoding = (_ file: UnsafeRawBufferPointer, _ page: Int) -> Result<DecodedPage, ImageError>

  /// Seconds for one page, a little more than who asks waits.
  private static let deadline: UInt32 = 45
  /// How far pages are counted: one more than are read.
  package static let countLimit = ConversionRequest.pageLimit + 1

  /// Runs to the end of the process.
  ///
  /// - Parameters:
  ///   - problem: an errno where the library could not be loaded; told, and nothing is decoded.
  ///   - decoding: decodes a page; everything that it opens is open by now.
  package static func run(problem: Int32, _ decoding: Decoding) {
    guard let seat = WorkerEndpoint(), seat.lockIn(refusing: problem) else { return }
    while let request = seat.next(ConversionRequest.self) {
      csandbox_deadline(deadline)
      let file = UnsafeRawBufferPointer(rebasing: seat.arena.input[..<request.size])
      let answer: WorkerEndpoint.Answer?
      do throws(ImageError) {
        answer = seat.leave(try convert(file, request, decoding))
      } catch {
        answer = seat.leave(error, worked: false)
      }
      csandbox_deadline(0)
      guard let answer else { return }
      seat.say(answer)
    }
  }

  private static func convert(
    _ file: UnsafeRawBufferPointer, _ request: ConversionRequest, _ decoding: Decoding
  ) throws(ImageError) -> ConvertedPage {
    let page = try decoding(file, request.page).get()
    return ConvertedPage(count: max(1, page.count), file: try page.file(keepsColour: request.keepsColour))
  }
}
