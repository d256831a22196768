import WaymarkDocuments
import WaymarkGeometry
import WaymarkImage
import WaymarkOnboarding
import WaymarkSystem
import WaymarkText
import WaymarkWorker

/// Reads the words of pages with the program of the package waymark-text.
struct PageWordReader {
  /// A page of small print has about as many lines.
  private static let lineLimit = 150
  /// Seconds after which no further line of a page is begun.
  private static let pageLimit = 60.0

  private let engine: TextEngine

  /// - Throws: what is to be installed.
  init(languages: [String]) throws(TextError) { engine = try TextEngine(languages: languages) }

  /// The words of an upright page, with their places as shares of it.
  ///
  /// - Throws: `TextError` where the program is lost.
  func words(of page: RGBImage, named name: String) throws -> [PageWord] {
    var reader = engine.reader()
    reader.lineLimit = Self.lineLimit
    let end = MonotonicClock.now + Self.pageLimit
    reader.goesOn = { MonotonicClock.now < end }
    // Evenly lit: shadows would hide lines.
    guard case .gray(let gray) = PageFilter.grayscale.apply(page) else { return [] }
    let read = try gray.withView { view throws in try reader.readAsFar(view) }
    if read.skipped > 0 {
      Output.diagnostic("waymark: \(DisplayText.escaped(name)): \(read.skipped) lines of text were not read.")
    }
    let scale = Point2(1 / Double(gray.width), 1 / Double(gray.height))
    return read.lines.flatMap { line in
      line.words.map { word in PageWord(word.text, outline: word.outline.mapped { $0 * scale }) }
    }
  }
}
