import Foundation
import Glibc
import Logging
package import WaymarkDocuments
package import WaymarkImage
import WaymarkProtocol
import WaymarkSystem
package import WaymarkText
import WaymarkWorker

/// Writes the pages of a session to files; `PageWordReader` below reads the text for PDFs.
struct DocumentWriter: Sendable {
  let store: PageStore
  let isolation: Isolation
  let pages: [DocumentManifest.Page]
  let version: String
  /// The time of creation in seconds since 1970.
  let created: Int
  /// The languages of the hidden text in PDFs, as names of Tesseract's models; nil for no text.
  let textLanguages: [String]?
  let log: Logger
  /// The seconds after which no further line of a document is read, because a client waits.
  private static let textLimit = 60.0
  /// The mode of the files, which the service's group may read.
  private static let mode: UInt32 = 0o640

  /// Writes the files, all or none. Blocks.
  ///
  /// - Parameters:
  ///   - folder: the folder, which is made if it is missing.
  ///   - name: the name of the files without extension; a number is added if it is taken.
  /// - Returns: their paths.
  /// - Throws: `FileError` if a file cannot be written, or the error of reading or rendering a page.
  func write(_ format: DocumentFormat, into folder: String, named name: String) throws -> [String] {
    try Folder.make(folder, mode: 0o750)
    guard format == .pdf else { return try writeEach(format, into: folder, named: name) }
    let path = Self.free("\(folder)/\(name)", endings: [".pdf"])[0]
    let file = try DraftFile(path, mode: Self.mode, isExact: true)
    var writer = PDFWriter(
      PDFWriter.Metadata(title: name, producer: "Waymark \(version)", created: created))
    try file.append(writer.begin())
    var text = textReader()
    let end = MonotonicClock.now + Self.textLimit
    // Pages are written one at a time, so that a hundred take no more memory than one.
    for page in pages {
      let made = try picture(page, .coded)
      let words = words(of: page, &text, before: end)
      try file.append(writer.add(made.page, size: made.paper, words: words))
    }
    try file.append(writer.end())
    try file.publish()
    _ = DurableFile.synchronizeFolder(of: path)
    return [path]
  }

  /// The reader of the pages' text; nil if text is off or waymark-text is not installed.
  private func textReader() -> PageWordReader? {
    guard let textLanguages else { return nil }
    do {
      return try PageWordReader(languages: textLanguages)
    } catch {
      log.warning("a document is saved without its text: \(error.message)", metadata: ["hint": "\(error.hint)"])
      return nil
    }
  }

  /// Reads the words of a page. If this fails, returns no words, so that the document is saved without them.
  private func words(of page: DocumentManifest.Page, _ reader: inout PageWordReader?, before end: Double) -> [PageWord]
  {
    guard reader != nil else { return [] }
    do {
      // The page is rendered in grayscale for reading, because shadows hide lines, and the rendering for the PDF is lossy or black
      // and white.
      var evenlyLit = page
      evenlyLit.filter = .grayscale
      let gray = try isolation.gray(try picture(evenlyLit, .png).page.bytes)
      guard let read = try reader?.words(of: gray, before: end) else { return [] }
      if read.skipped > 0 {
        log.warning("lines of a document's text were not read", metadata: ["lines": "\(read.skipped)"])
      }
      return read.words
    } catch {
      log.warning("a document is saved without its text", metadata: ["error": "\(error)"])
      reader = nil
      return []
    }
  }

  private func writeEach(_ format: DocumentFormat, into folder: String, named name: String) throws -> [String] {
    let ending = format == .png ? ".png" : ".jpg"
    let endings = pages.count == 1 ? [ending] : pages.indices.map { "-\($0 + 1)" + ending }
    let paths = Self.free("\(folder)/\(name)", endings: endings)
    var written: [String] = []
    do {
      for (page, path) in zip(pages, paths) {
        let file = try DraftFile(path, mode: Self.mode, isExact: true)
        try file.append(picture(page, format == .png ? .png : .jpeg(width: nil)).page.bytes)
        try file.publish()
        written.append(path)
      }
    } catch {
      // A document is saved as a whole or not at all.
      for path in written { unlink(path) }
      throw error
    }
    _ = DurableFile.synchronizeFolder(of: paths[0])
    return paths
  }

  private func picture(
    _ page: DocumentManifest.Page, _ operation: PageRequest.Operation
  ) throws -> (page: CodedPage, paper: PDFWriter.PaperSize) {
    let order = PageRequest(operation, outline: page.outline, bends: page.bends, filter: page.filter, turns: page.turns)
    guard case .picture(let made, let paper) = try isolation.page(try store.picture(page.number), order) else {
      throw ServiceError(.internalError, "A page could not be drawn.", hint: "See the service's log.")
    }
    return (made, paper)
  }

  /// Returns a path for each ending; no file exists at any of them. A number is appended to `base` if necessary.
  private static func free(_ base: String, endings: [String]) -> [String] {
    for number in 1...9999 {
      let stem = number == 1 ? base : "\(base)-v\(number)"
      let paths = endings.map { stem + $0 }
      if !paths.contains(where: { access($0, F_OK) == 0 }) { return paths }
    }
    return endings.map { "\(base)-\(UInt32.random(in: 0...UInt32.max))" + $0 }
  }

  /// Returns the requested file name, or a name made of the local time if none is requested; nil if the requested name is invalid.
  static func name(_ wanted: String?, now: Int) -> String? {
    guard let wanted else {
      var (seconds, parts) = (time_t(now), tm())
      localtime_r(&seconds, &parts)
      let day = "\(parts.tm_year + 1900)-\((parts.tm_mon + 1).digits(2))-\(parts.tm_mday.digits(2))"
      return "document-\(day)-\(parts.tm_hour.digits(2))\(parts.tm_min.digits(2))\(parts.tm_sec.digits(2))"
    }
    let isName = wanted.unicodeScalars.allSatisfy { $0.value >= 32 && $0.value != 127 && $0 != "/" && $0 != "\\" }
    guard isName, DisplayText.isPlain(wanted), !wanted.isEmpty, wanted.utf8.count <= 120, !wanted.hasPrefix(".") else {
      return nil
    }
    return wanted
  }
}

/// Reads the words of pages with the program of the package waymark-text. Not thread-safe.
package struct PageWordReader: ~Copyable {
  /// The largest number of lines of a page, enough for small print.
  private static let lineLimit = 150
  /// Seconds after which no further line of a page is begun.
  private static let pageLimit = 60.0

  private let engine: TextEngine

  /// - Parameter languages: names of Tesseract's models.
  /// - Throws: `textEngineMissing` or `textLanguageMissing`, with the package to install.
  package init(languages: [String]) throws(TextError) { engine = try TextEngine(languages: languages) }

  deinit { engine.end() }

  /// Reads the words of an upright page without shadows, with their places as shares of it. Blocks.
  ///
  /// - Parameter end: the monotonic time after which no further line is read; reading also stops after `pageLimit`
  ///   seconds.
  /// - Returns: the words, and the number of lines that were not read.
  /// - Throws: `TextError` if the program that reads text is lost.
  package func words(of page: GrayImage, before end: Double = .infinity) throws -> (words: [PageWord], skipped: Int) {
    var reader = engine.reader()
    reader.lineLimit = Self.lineLimit
    let end = min(end, MonotonicClock.now + Self.pageLimit)
    reader.continues = { MonotonicClock.now < end }
    let read = try page.withView { view throws in try reader.readAsFar(view) }
    let scale = Point2(1 / Double(page.width), 1 / Double(page.height))
    let words = read.lines.flatMap { line in
      line.words.map { word in PageWord(word.text, outline: word.outline.mapped { $0 * scale }) }
    }
    return (words, read.skipped)
  }
}
