import Synchronization
import WaymarkSystem

/// The documents that the service has saved for a page; no other file is read for a visitor.
final class SavedDocuments: Sendable {
  /// The largest number of documents that are remembered.
  private static let limit = 16

  /// The paths of the documents, the newest last.
  private let paths = Mutex<[String]>([])

  /// Remembers the file that a reply to `document.save` names; a document of several files is ignored.
  func note(savedBy reply: [UInt8]) {
    guard let saved = try? JSONParser.parse(reply)["result"]?["paths"]?.array?.compactMap(\.string), saved.count == 1
    else { return }
    paths.withLock { $0 = ($0 + saved).suffix(Self.limit) }
  }

  /// Reads a document; nil if the service did not save it, or if it is larger than `limit` bytes.
  func read(_ path: String, limit: Int) -> [UInt8]? {
    guard paths.withLock({ $0.contains(path) }) else { return nil }
    return try? WholeFile.read(path, limit: limit)
  }
}
