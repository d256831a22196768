import Synchronization
import WaymarkSystem

/// The documents that the service said it saved for a page: no other file is read for a visitor.
final class SavedDocuments: Sendable {
  /// The most documents that are remembered.
  private static let limit = 16

  /// Their files, the newest last.
  private let paths = Mutex<[String]>([])

  /// Notes the files that a reply to `document.save` names.
  func note(savedBy reply: [UInt8]) {
    guard let saved = try? JSONParser.parse(reply)["result"]?["paths"]?.array?.compactMap(\.string), saved.count == 1
    else { return }
    paths.withLock { $0 = ($0 + saved).suffix(Self.limit) }
  }

  /// The bytes of a document; nil where the service did not save it, and where it is larger than `limit`.
  func read(_ path: String, limit: Int) -> [UInt8]? {
    guard paths.withLock({ $0.contains(path) }) else { return nil }
    return try? WholeFile.read(path, limit: limit)
  }
}
