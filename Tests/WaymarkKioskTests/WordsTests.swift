import Foundation
import Testing

/// The words of one part of the page alone stand in a file of their own, in every language.
@Suite struct WordsTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../../Sources/Station/WaymarkKiosk/Resources/js/strings").standardizedFileURL.path

  @Test func everyPartSpeaksBothLanguages() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder)
    #expect(names.contains("account.js"))
    for name in names {
      let text = try String(contentsOfFile: Self.folder + "/" + name, encoding: .utf8)
      let tables = text.components(separatedBy: "export const de = {")
      #expect(tables.count == 2, "\(name)")
      let keys = tables.map { $0.matches(of: /(?m)^ *'([a-z]+\.[A-Za-z.]+)':/).map { String($0.1) } }
      #expect(keys.first == keys.last, "\(name)")
    }
  }
}
