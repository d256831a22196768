package import WaymarkImage
import WaymarkWorker

/// A page of an input.
package struct InputPage {
  package let input: ScanInput
  /// From 1, of a file with several pages; else nil.
  package let number: Int?
  private let pages: Result<PicturePages, ImageError>

  /// The pages of an input; one for an input that cannot be read, whose reading fails.
  ///
  /// - Parameter keepsColour: false if the colours of a large page need not be kept.
  package static func pages(of input: ScanInput, keepsColour: Bool) -> [InputPage] {
    do throws(ImageError) {
      let pages = try input.pages(keepsColour: keepsColour)
      let count = try pages.count()
      guard count > 1 else { return [InputPage(input: input, number: nil, pages: .success(pages))] }
      return (1...count).map { InputPage(input: input, number: $0, pages: .success(pages)) }
    } catch {
      return [InputPage(input: input, number: nil, pages: .failure(error))]
    }
  }

  /// The page as a file that `PictureDecoder` reads.
  package func read() throws(ImageError) -> [UInt8] { try pages.get().page(number ?? 1) }

  /// The name in what people read.
  package var name: String { Self.name(input.name, number) }

  /// - Parameter page: from 1, of a file with several; else nil.
  package static func name(_ input: String, _ page: Int?) -> String { page.map { "\(input), page \($0)" } ?? input }
}
