import Testing
import WaymarkConfiguration

@testable import WaymarkKiosk

@Suite("The table of keys of the page's file in docs/configuration.md")
struct PageReferenceTests {
  @Test func thePageIsTheTables() throws {
    let rows = ConfigurationReference.markdown(PageSettings.table.keys)
    try expectReference("configuration.md", [("page keys", rows)])
  }
}
