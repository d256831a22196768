import Foundation
import WaymarkSystem

/// A result that the page hands over: a text of its own, or a document that the service saved.
struct HandedResult: Equatable, Sendable {
  private static let types = [
    "csv": "text/csv", "json": "application/json", "txt": "text/plain", "pdf": "application/pdf",
  ]

  /// The ending of its file.
  let ending: String
  let contentType: String
  let bytes: [UInt8]

  /// A text that the page names by `type`; nil for another kind, and for an empty one.
  static func text(_ json: JSONValue?) -> HandedResult? {
    guard let ending = json?["type"]?.string, ending != "pdf", let type = types[ending],
      let text = json?["text"]?.string, !text.isEmpty
    else { return nil }
    return HandedResult(ending: ending, contentType: "\(type); charset=utf-8", bytes: Array(text.utf8))
  }

  /// A document at a path, which `read` gives where the page may have it.
  static func document(_ path: String, read: (String) -> [UInt8]?) -> HandedResult? {
    let ending = (path as NSString).pathExtension.lowercased()
    guard let type = types[ending], let bytes = read(path) else { return nil }
    return HandedResult(ending: ending, contentType: type, bytes: bytes)
  }
}
