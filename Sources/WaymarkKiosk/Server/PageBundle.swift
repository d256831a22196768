import Foundation
import WaymarkSystem

/// The page's many small files gathered into few, because a browser asks for one after the other: what the first view is made
/// of in one style sheet and one script, the modules of every other view in a second script.
///
/// The files are written for this: an import or export is a line of its own that begins with the word, exports are declared
/// where they are exported, one name to an `export`; no module imports itself through others or awaits outside a function. Where an import
/// or export is written otherwise, or imports go round, the page is served as it is. Comments that have lines of their own, and what
/// indents a line, stay behind: a browser does without them, and they are a fifth of what would travel.
enum PageBundle {
  /// The names under which the gathered files are served.
  private static let style = "page.css"
  private static let first = "page.js"
  private static let later = "views.js"

  /// `index.html` and the files that it then asks for, by their names.
  ///
  /// - Parameters:
  ///   - text: the text of a file of the page, by its name.
  ///   - configuration: JSON that is handed to the page in its own text, so that it need not ask for it.
  ///   - rules: style that comes after the page's own.
  /// - Returns: nothing where the page is not written as is said above.
  static func gather(
    _ text: @escaping (String) -> String?, configuration: String, style rules: String = ""
  ) -> [String: String]? {
    guard let page = text("index.html") else { return nil }
    let sheets = page.matches(of: /\n *<link rel="stylesheet" href="\/assets\/([^"]+)">/)
    let scripts = page.matches(of: /<script type="module" src="\/assets\/([^"]+)"><\/script>/)
    guard let firstSheet = sheets.first, scripts.count == 1, let main = scripts.first.map({ String($0.1) }) else {
      return nil
    }
    var modules = Modules(text: text, later: later)
    guard modules.take(main) else { return nil }
    let start = modules.taken
    // A module that is loaded later may name more that are loaded later.
    while let next = modules.later.first {
      modules.later.removeFirst()
      guard modules.take(next) else { return nil }
    }
    var styles = ""
    for sheet in sheets {
      guard let text = text(String(sheet.1)) else { return nil }
      styles += text + "\n"
    }
    styles += rules
    var gathered = page
    gathered.replaceSubrange(scripts[0].range, with: "<script type=\"module\" src=\"/assets/\(first)\"></script>")
    for sheet in sheets.reversed() {
      let one =
        sheet.range == firstSheet.range
        ? "\n  <link rel=\"modulepreload\" href=\"/assets/\(first)\">\n  <link rel=\"stylesheet\" href=\"/assets/\(style)\">"
        : ""
      gathered.replaceSubrange(sheet.range, with: one)
    }
    return [
      "index.html": configured(gathered, configuration), style: styles,
      first: """
      export const $makers = {};
      const $made = {};
      export function $need(name) {
        if (!(name in $made)) { const made = {}; $makers[name](made); $made[name] = made; }
        return $made[name];
      }
      \(start.joined())$need('\(main)');

      """,
      later: "import { $makers, $need } from './\(first)';\n" + modules.taken.dropFirst(start.count).joined(),
    ]
  }

  /// The page with what it may show in its head.
  static func configured(_ page: String, _ configuration: String) -> String {
    page.replacing(
      "<meta name=\"waymark\" content=\"\">",
      with: "<meta name=\"waymark\" content=\"\(XMLText.escaped(configuration))\">")
  }

  /// Modules turned into functions, each after those that it imports.
  private struct Modules {
    let text: (String) -> String?
    /// The address of the script that holds what is loaded later.
    let laterName: String
    /// The functions, in the order in which they are written.
    private(set) var taken: [String] = []
    /// Modules that are loaded when they are needed, and are not yet taken.
    var later: [String] = []
    private var names: Set<String> = []
    /// Those that are being taken: each imports the next one.
    private var open: Set<String> = []

    init(text: @escaping (String) -> String?, later: String) {
      self.text = text
      laterName = later
    }

    /// Takes a module, and before it whatever it imports.
    ///
    /// - Returns: false where one of them is missing or written otherwise.
    mutating func take(_ name: String) -> Bool {
      // One that is still being taken imports itself through others.
      guard names.insert(name).inserted else { return !open.contains(name) }
      open.insert(name)
      defer { open.remove(name) }
      guard let source = text(name) else { return false }
      var exports: [String] = []
      var lines: [String] = []
      var isComment = false
      // By bytes: whoever opens the page waits for this, and characters take their time to be told apart.
      for whole in source.utf8.split(separator: 0x0A) {
        let line = Substring(whole.drop { $0 == 0x20 })
        // A comment of several lines ends with one that ends with its sign.
        let begins = !isComment && line.hasPrefix("/**")
        if isComment || begins {
          let closes = line.hasSuffix("*/")
          // A type stands in a comment before the code that has it.
          if closes || !begins || !line.contains("*/") {
            isComment = !closes
            continue
          }
        }
        guard !line.isEmpty, !line.hasPrefix("//") else { continue }
        if line.hasPrefix("import ") {
          guard let made = imported(String(line), by: name) else { return false }
          lines.append(made)
        } else if line.hasPrefix("export ") {
          guard let match = line.prefixMatch(of: /export (?:(?:async )?function\*? ?|const |class )([A-Za-z_$][\w$]*)/)
          else {
            return false
          }
          exports.append(String(match.1))
          lines.append(loaded(String(line.dropFirst("export ".count)), by: name))
        } else {
          lines.append(loaded(String(line), by: name))
        }
      }
      taken.append(
        """
        $makers['\(name)'] = ($exports) => {
        \(lines.joined(separator: "\n"))
        Object.assign($exports, { \(exports.joined(separator: ", ")) });
        };

        """)
      return true
    }

    /// A line that imports, as one that asks for what a module made.
    private mutating func imported(_ line: String, by name: String) -> String? {
      guard let match = line.wholeMatch(of: /import (?:(\{[^}]*\}|\* as [\w$]+) from )?'(\.[^']*)';/) else {
        return nil
      }
      let target = Self.resolve(String(match.2), from: name)
      guard take(target) else { return nil }
      guard let wanted = match.1 else { return "$need('\(target)');" }
      let names =
        wanted.hasPrefix("*") ? String(wanted.dropFirst("* as ".count)) : String(wanted).replacing(" as ", with: ": ")
      return "const \(names) = $need('\(target)');"
    }

    /// A line whose modules are loaded when it runs.
    private mutating func loaded(_ line: String, by name: String) -> String {
      var line = line
      guard Self.mayLoad(line) else { return line }
      while let match = line.firstMatch(of: /\bimport\('(\.[^']*)'\)/) {
        let target = Self.resolve(String(match.1), from: name)
        later.append(target)
        line.replaceSubrange(match.range, with: "import('/assets/\(laterName)').then(() => $need('\(target)'))")
      }
      return line
    }

    private static let loading = Array("import(".utf8)

    /// Returns whether `import(` stands in a line.
    private static func mayLoad(_ line: String) -> Bool {
      var matched = 0
      for byte in line.utf8 {
        // Its first letter stands nowhere else in it.
        matched = byte == loading[matched] ? matched + 1 : byte == loading[0] ? 1 : 0
        if matched == loading.count { return true }
      }
      return false
    }

    /// The name of a file that another names relative to itself.
    private static func resolve(_ path: String, from name: String) -> String {
      var parts = name.split(separator: "/").dropLast().map(String.init)
      for part in path.split(separator: "/") where part != "." {
        if part == ".." { _ = parts.popLast() } else { parts.append(String(part)) }
      }
      return parts.joined(separator: "/")
    }
  }
}
