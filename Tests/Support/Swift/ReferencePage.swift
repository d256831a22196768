import Foundation
import Testing
import WaymarkConfiguration

/// Expects that the tables of keys on a page of the documentation are what the programs read by. With `WAYMARK_WRITE_REFERENCE` set the page
/// is written again: Scripts/write-reference.
///
/// - Parameters:
///   - name: the page, in `docs`.
///   - parts: the names of its tables, and their rows.
///   - file: the test, in a folder of `Tests`.
func expectReference(_ name: String, _ parts: [(name: String, text: String)], file: String = #filePath) throws {
  let page = URL(fileURLWithPath: file).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "docs/\(name)")
  let text = try String(contentsOf: page, encoding: .utf8)
  var made = text
  for (name, rows) in parts {
    made = try #require(ConfigurationReference.page(made, replacing: name, with: rows), "\(name) has no place")
  }
  if ProcessInfo.processInfo.environment["WAYMARK_WRITE_REFERENCE"] != nil, made != text {
    try Data(made.utf8).write(to: page)
  }
  #expect(made == text, "docs/\(name) is not what the table says: Scripts/write-reference")
}
