import Foundation
import Testing
import WaymarkConfiguration

@testable import WaymarkKiosk

@Suite("The table of keys of the page's file in docs/configuration.md")
struct PageReferenceTests {
  /// With `WAYMARK_WRITE_REFERENCE` set the page is written again: Scripts/write-reference.
  @Test func thePageIsTheTables() throws {
    let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "docs/configuration.md")
    let text = try String(contentsOf: page, encoding: .utf8)
    let rows = ConfigurationReference.markdown(PageSettings.table.keys, changes: nil)
    let made = try #require(ConfigurationReference.page(text, replacing: "page keys", with: rows))
    if ProcessInfo.processInfo.environment["WAYMARK_WRITE_REFERENCE"] != nil, made != text {
      try Data(made.utf8).write(to: page)
    }
    #expect(made == text, "docs/configuration.md is not what the table says: Scripts/write-reference")
  }
}
