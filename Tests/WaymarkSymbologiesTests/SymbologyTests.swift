import Foundation
import Testing
import WaymarkBarcodes

struct SymbologyTests {
  @Test("The page calls symbologies what they are called here")
  func namesOnThePage() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let view = try String(
      contentsOf: root.appending(path: "Sources/Station/WaymarkKiosk/Resources/js/components/counted.js"),
      encoding: .utf8)
    for symbology in Symbology.allCases {
      #expect(view.contains("\(symbology.rawValue): '\(symbology.displayName)'"))
    }
  }
}
