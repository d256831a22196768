import Foundation

/// The texts of the page as they stand in its files, by their keys.
package struct PageWords: Sendable {
  /// The English texts.
  let texts: [String: String]

  /// - Parameter folder: the folder of the page's files.
  init(folder: String) {
    let root = URL(fileURLWithPath: folder, isDirectory: true)
    let parts =
      (try? FileManager.default.contentsOfDirectory(atPath: root.appendingPathComponent("js/strings").path)) ?? []
    var texts: [String: String] = [:]
    for name in ["js/strings.js"] + parts.map({ "js/strings/\($0)" }) {
      guard let text = try? String(contentsOf: root.appendingPathComponent(name), encoding: .utf8) else { continue }
      // English comes first in each of them.
      let english = text.split(separator: /(?:export )?const de = \{/, maxSplits: 1).first ?? ""
      for match in english.matches(of: /(?m)^  '([A-Za-z.]+)': '((?:[^'\\]|\\.)*)'/) {
        texts[String(match.1)] = String(match.2).replacing("\\'", with: "'")
      }
    }
    self.texts = texts
  }

  /// The places of a text that are filled in: `{count}`.
  static func places(_ text: String) -> Set<String> {
    Set(text.matches(of: /\{([a-z]+)\}/).map { String($0.1) })
  }

  /// All texts of the page in English, as lines of `words` to be translated.
  ///
  /// - Parameter assets: the folder of the page's files.
  package static func template(assets: String) -> [String] {
    ["words:", "  en:", "    language: English"]
      + PageWords(folder: assets).texts.sorted { $0.key < $1.key }.map { key, text in
        "    \(key): '\(text.replacing("'", with: "''"))'"
      }
  }
}
