import Foundation
import Testing
import WaymarkConfiguration
import WaymarkSystem

@testable import WaymarkKiosk

@Suite("The integrator's file for the page")
struct PageSettingsTests {
  private static let sample = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../../Samples/page/page.yaml").standardizedFileURL.path

  private func settings(_ text: String) -> PageSettings {
    PageSettings(text, path: "/nowhere/page.yaml", assets: KioskServerTests.assets)
  }

  /// The problems of a file, each as its key and what is said of it.
  private func faults(_ text: String) -> [String] {
    settings(text).problems.map { "\($0.line.map(String.init) ?? "-") \($0.key ?? "-"): \($0.message)" }
  }

  private func form(_ fields: String) -> String { "forms:\n- {name: a, title: A, fields: [\(fields)]}\n" }

  @Test("The sample is right, and the page is told all of it but the files")
  func sample() throws {
    let settings = try PageSettings(file: Self.sample, assets: KioskServerTests.assets)
    #expect(settings.problems.isEmpty, "\(settings.problems)")
    #expect(settings.json["brand"]?["name"]?.string == "Meridian Stores")
    #expect(settings.json["brand"]?["logo"]?.string == "/assets/brand.svg")
    #expect(settings.json["brand"]?["accent"] == nil)
    #expect(settings.logo?.file.contentType == "image/svg+xml")
    #expect(settings.style.contains("--accent: #0b5d4e") && settings.style.contains("prefers-color-scheme: dark"))
    let kinds = settings.json["forms"]?.array?.first?["fields"]?.array?.compactMap { $0["kind"]?.string } ?? []
    #expect(
      Set(kinds).isSuperset(of: [
        "code", "print", "number", "date", "choice", "list", "note", "signature", "switch", "photo",
      ]))
  }

  @Test("Without a file the page is as it is")
  func nothing() {
    #expect(PageSettings().json.compactText == "{}" && PageSettings().style.isEmpty && PageSettings().logo == nil)
    #expect(settings("").problems.isEmpty && settings("").json.compactText == "{}")
  }

  @Test("Unknown keys are told with their place and the key that was meant")
  func unknown() throws {
    let problem = try #require(settings("brand:\n  acent: \"#0b5d4e\"\n").problems.first)
    #expect(problem.line == 2 && problem.hint.contains("brand.accent"))
    #expect(faults("form: []\n").count == 1)
    let field = try #require(settings(form("{name: b, label: B, requird: true}")).problems.first)
    #expect(field.hint.contains("required"))
  }

  @Test("Colours keep their contrast on both grounds, or are refused with what they have")
  func colours() throws {
    #expect(faults("brand: {accent: \"#ffcc00\"}\n").first?.contains("contrast with the page's ground is 1.") == true)
    #expect(faults("brand: {accent: \"red\"}\n") == ["1 brand.accent: \"red\" is not a colour"])
    #expect(faults("brand: {accent: \"#0b5d4e\"}\n") == ["1 brand.accent: it holds for light ground alone"])
    #expect(faults("brand: {accentDark: \"#0b5d4e\"}\n").first?.contains("letters need 4.5") == true)
    #expect(settings("brand: {accent: \"#0b5d4e\", accentDark: \"#6fd6bf\"}\n").problems.isEmpty)
    // The page makes of any colour that is taken one that can be read.
    var random = SplitMix(state: 7)
    var taken = 0
    for _ in 0..<2000 {
      let text = "#" + String(format: "%06x", Int(truncatingIfNeeded: random.next() & 0xFFFFFF))
      let colour = try #require(BrandColour(text))
      for ground in [BrandColour.lightGround, BrandColour.darkGround]
      where colour.contrast(with: ground.worst) >= BrandColour.least {
        taken += 1
        let rules = colour.rules(on: ground)
        func shade(_ name: String) throws -> BrandColour {
          let value = try #require(rules.components(separatedBy: "--\(name): ").last?.prefix(7))
          return try #require(BrandColour(String(value)))
        }
        let letters = try shade("accent-text")
        #expect(letters.contrast(with: colour) >= BrandColour.least, "\(text)")
        #expect(letters.contrast(with: try shade("accent-strong")) >= BrandColour.least, "\(text)")
        #expect(colour.contrast(with: try shade("accent-soft")) >= BrandColour.least, "\(text)")
      }
    }
    #expect(taken > 300)
  }

  @Test("Words are those of the page, keep their places, and a further language has all of them")
  func words() throws {
    #expect(settings("words: {en: {start.title: Hello}}\n").problems.isEmpty)
    let wrong = try #require(settings("words: {en: {start.titel: Hello}}\n").problems.first)
    #expect(wrong.hint == "Did you mean start.title?")
    #expect(faults("words: {en: {field.missing: Fill it in.}}\n").first?.contains("{label}") == true)
    let half = faults("words: {fr: {language: Français, start.title: Bonjour}}\n")
    #expect(half.count == 1 && half[0].contains("texts are missing"))
    #expect(faults("languages: [en, fr]\n") == ["1 languages: there are no words for fr"])
    #expect(faults("words: {english: {start.title: Hello}}\n").first?.contains("it is not a language") == true)
    let all = PageWords.template(assets: KioskServerTests.assets).joined(separator: "\n")
    #expect(settings(all).problems.isEmpty)
    let french = all.replacing("\n  en:\n    language: English\n", with: "\n  fr:\n    language: Français\n")
    #expect(settings(french).problems.isEmpty, "\(settings(french).problems.prefix(3))")
    #expect(settings(french).languages == ["en", "de", "fr"])
    #expect(PageWords(folder: KioskServerTests.assets).texts.count > 300)
  }

  @Test(
    "What hangs together in a form is looked at",
    arguments: [
      ("{name: b, label: B, kind: list}", "it has nothing to choose"),
      ("{name: b, label: B, choices: [{value: c, label: C}]}", "a field of the kind text has no choices"),
      ("{name: b, label: B, kind: choice, choices: [{value: c}]}", "label is missing"),
      (
        "{name: b, label: B, kind: choice, choices: [{value: c, label: C}, {value: c, label: D}]}",
        "another one is called c, too"
      ),
      ("{name: b, label: B, kind: choice, value: d, choices: [{value: c, label: C}]}", "no choice has this value"),
      ("{name: b, label: B, kind: number, minimum: 3, maximum: 2}", "it is less than the minimum"),
      ("{name: b, label: B, kind: number, minimum: 3.5}", "a whole number"),
      ("{name: b, label: B, kind: date, earliest: \"2026-02-29\"}", "is not a day"),
      (
        "{name: b, label: B, kind: date, earliest: \"2026-03-01\", latest: \"2026-02-28\"}",
        "it is before the earliest day"
      ),
      ("{name: b, label: B, pattern: '('}", "it is not a regular expression"),
      ("{name: b, label: B, kind: date, pattern: a}", "a field of the kind date has no pattern"),
      ("{name: b, label: B, required: true, readonly: true}", "it can never be filled in"),
      ("{name: b, label: B, when: {field: c}}", "no field above it is called c"),
      ("{name: b, label: B, when: {field: b}}", "no field above it is called b"),
      ("{name: b, label: B, when: {is: x}}", "field is missing"),
      (
        "{name: b, label: B, kind: choice, choices: [{value: x, label: X}]}, {name: c, label: C, when: {field: b, is: y}}",
        "b has no choice \"y\""
      ),
      ("{name: b, label: B}, {name: b, label: C}", "another one is called b, too"),
      ("{name: b, label: B, kind: film}", "one of text, number"),
      ("{name: b, label: B, kind: photo}, {name: c, label: C, kind: photo}", "it has 2 entries, and may have 1"),
      ("{name: b, label: B, kind: photo, prompt: C}", "a field of the kind photo has no prompt"),
      ("{name: b, label: B, kind: switch, value: on}", "a switch is yes or no"),
      ("{name: b, label: {de: B, english: C}}", "is not a language"),
      ("{label: B}", "name is missing"),
    ])
  func forms(fields: String, message: String) {
    let problems = faults(form(fields))
    #expect(problems.contains { $0.contains(message) }, "\(problems)")
  }

  @Test("More than the bounds is told, not taken: fields, forms, choices, languages, depth, size")
  func bounds() throws {
    func fields(_ count: Int) -> String { (0..<count).map { "{name: f\($0), label: F}" }.joined(separator: ", ") }
    #expect(settings(form(fields(200))).problems.isEmpty)
    #expect(faults(form(fields(1000))).contains { $0.contains("it has 1000 entries, and may have 200") })
    let forms = "forms:\n" + (0..<13).map { "- {name: f\($0), title: F, fields: [{name: a, label: A}]}\n" }.joined()
    #expect(faults(forms).contains { $0.contains("it has 13 entries, and may have 12") })
    let choices = (0..<201).map { "{value: v\($0), label: V}" }.joined(separator: ", ")
    #expect(
      faults(form("{name: a, label: A, kind: list, choices: [\(choices)]}")).contains { $0.contains("may have 200") })
    let languages =
      "words:\n" + ["aa", "bb", "cc", "dd", "ee", "ff", "gg", "hh", "ii"].map { "  \($0): {}\n" }.joined()
    #expect(faults(languages).contains { $0.contains("may have 8") })
    #expect(
      faults(form("{name: \(String(repeating: "n", count: 65)), label: B}")).contains {
        $0.contains("more than 64 bytes")
      })
    let deep = "forms: " + String(repeating: "[", count: 5000) + String(repeating: "]", count: 5000)
    #expect(settings(deep).problems.count == 1)
    let path = NSTemporaryDirectory() + "waymark-page-\(UUID().uuidString).yaml"
    defer { try? FileManager.default.removeItem(atPath: path) }
    try Data(repeating: UInt8(ascii: "#"), count: 1 << 20 + 1).write(to: URL(fileURLWithPath: path))
    #expect(throws: (any Error).self) { try PageSettings(file: path, assets: KioskServerTests.assets) }
  }

  @Test("No text of the file becomes markup or style, and no logo is served that is none")
  func hostile() throws {
    let text = "brand: {name: '</title><script>x</script>', accent: \"#0b5d4e;}*{\", accentDark: \"#6fd6bf\"}\n"
    let settings = settings(text)
    #expect(!settings.style.contains("*{"))
    var options = KioskOptions(assets: KioskServerTests.assets, token: KioskToken())
    options.page = settings
    let assets = try Assets(folder: options.assets, configuration: options.shown, style: settings.style)
    let page = try #require(assets["index.html"]).text
    #expect(!page.contains("<script>x") && page.contains("content=\"{&quot;"))
    // The rules of the brand come after the page's own.
    #expect(page.ranges(of: "/assets/brand.css").count == 1 && page.contains("brand.css\">\n</head>"))
    #expect(assets["brand.css"]?.text == settings.style && !settings.style.isEmpty)
    #expect(try Assets(folder: options.assets)["brand.css"] == nil)
    #expect(faults("brand: {logo: page.html}\n") == ["1 brand.logo: it is neither SVG, PNG nor WebP"])
    #expect(faults("brand: {logo: ../../etc/passwd}\n") == ["1 brand.logo: it is neither SVG, PNG nor WebP"])
    #expect(faults("brand: {logo: missing.svg}\n").count == 1)
  }
}
