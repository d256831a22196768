import Foundation
import Glibc
import Logging
import WaymarkDocuments
import WaymarkOnboarding
import WaymarkProtocol
import WaymarkSystem
import WaymarkWorker

/// Writes the pages of a session into the files that a person gets.
struct DocumentWriter: Sendable {
  let store: PageStore
  let isolation: Isolation
  let pages: [DocumentManifest.Page]
  let version: String
  /// When the document is made, in seconds since 1970.
  let created: Int
  /// The languages of the text that a PDF holds unseen; nil: it holds none.
  let textLanguages: [String]?
  let log: Logger
  /// Seconds after which no further line of a document is read: somebody waits for it.
  private static let textLimit = 60.0
  /// Members of the service's group may read what it saved.
  private static let mode: UInt32 = 0o640

  /// Writes files that are there whole or not at all. Blocks.
  ///
  /// - Returns: their paths.
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
    // A page at a time: a hundred of them take no more memory than one.
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

  /// The reader of the pages' text; nil where it is not wanted, or cannot be had.
  private func textReader() -> PageWordReader? {
    guard let textLanguages else { return nil }
    do {
      return try PageWordReader(languages: textLanguages)
    } catch {
      log.warning("a document is saved without its text: \(error.message)", metadata: ["hint": "\(error.hint)"])
      return nil
    }
  }

  /// The words of a page. A document is saved without those that cannot be read: its pages are what counts.
  private func words(of page: DocumentManifest.Page, _ reader: inout PageWordReader?, before end: Double) -> [PageWord]
  {
    guard reader != nil else { return [] }
    do {
      // Rendered for this alone: shadows hide lines, and the PDF holds a lossy or a black and white page.
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
      // A document is saved as a whole or not.
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

  /// Names that nothing has yet.
  private static func free(_ base: String, endings: [String]) -> [String] {
    for number in 1...9999 {
      let stem = number == 1 ? base : "\(base)-v\(number)"
      let paths = endings.map { stem + $0 }
      if !paths.contains(where: { access($0, F_OK) == 0 }) { return paths }
    }
    return endings.map { "\(base)-\(UInt32.random(in: 0...UInt32.max))" + $0 }
  }

  /// A name for a file out of what a client wants, or the time; nil for one that is none.
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
