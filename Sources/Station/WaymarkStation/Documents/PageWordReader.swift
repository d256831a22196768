package import WaymarkDocuments
package import WaymarkImage
import WaymarkSystem
package import WaymarkText

/// Reads the words of pages with the program of the package waymark-text. One thread.
package struct PageWordReader: ~Copyable {
  /// A page of small print has about as many lines.
  private static let lineLimit = 150
  /// Seconds after which no further line of a page is begun.
  private static let pageLimit = 60.0

  private let engine: TextEngine

  /// - Parameter languages: as Tesseract names its models.
  /// - Throws: what is to be installed.
  package init(languages: [String]) throws(TextError) { engine = try TextEngine(languages: languages) }

  deinit { engine.end() }

  /// The words of an upright and evenly lit page, with their places as shares of it; shadows would hide lines. Blocks.
  ///
  /// - Parameter end: when no further line is begun, in seconds of the monotonic clock, where that is before the page's own time is up.
  /// - Returns: the words, and how many lines were not read.
  /// - Throws: `TextError` where the program is lost.
  package func words(of page: GrayImage, before end: Double = .infinity) throws -> (words: [PageWord], skipped: Int) {
    var reader = engine.reader()
    reader.lineLimit = Self.lineLimit
    let end = min(end, MonotonicClock.now + Self.pageLimit)
    reader.goesOn = { MonotonicClock.now < end }
    let read = try page.withView { view throws in try reader.readAsFar(view) }
    let scale = Point2(1 / Double(page.width), 1 / Double(page.height))
    let words = read.lines.flatMap { line in
      line.words.map { word in PageWord(word.text, outline: word.outline.mapped { $0 * scale }) }
    }
    return (words, read.skipped)
  }
}
