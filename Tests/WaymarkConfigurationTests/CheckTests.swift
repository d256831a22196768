import Testing

@testable import WaymarkConfiguration

/// What a table makes of a document.
@Suite struct CheckTests {
  private static let table = ConfigurationTable([
    ConfigurationKey("camera.width", .int(16...8192), "pixels", change: .restart),
    ConfigurationKey("camera.rate", .double(0.1...240), "frames a second", change: .restart),
    ConfigurationKey(
      "camera.rotation", .choice(["0", "90"]), "degrees", defaultValue: .string("0"), change: .restart),
    ConfigurationKey("camera.mirror", .bool, "sides changed"),
    ConfigurationKey("hosts", .strings, "hosts", remedy: "Write hosts: [a]."),
    ConfigurationKey("logos", .texts(8), "files", mayBeEmpty: true),
    ConfigurationKey("steps", .choices(["a", "b"]), "steps"),
    ConfigurationKey("lax", .flag, "yes or no"),
    ConfigurationKey("title", .localized, "a title"),
    ConfigurationKey("links", .sections, "links", mayBeEmpty: true),
    ConfigurationKey("links.url", .text(8), "address"),
    ConfigurationKey("patterns", .named, "patterns"),
    ConfigurationKey("patterns.NAME", .textOrSection(8), "a pattern"),
    ConfigurationKey("patterns.NAME.length", .ints(1...9), "length"),
  ])

  private func read(_ yaml: String) -> ConfigurationDocument {
    ConfigurationDocument(yaml, path: "w.yaml", table: Self.table)
  }

  /// The places of problems as `line:column: key`.
  private func places(_ yaml: String) -> [String] {
    read(yaml).problems.map { "\($0.line ?? 0):\($0.column ?? 0): \($0.key ?? "")" }
  }

  /// The error that ends the reading of a text.
  private func syntaxError(_ yaml: String) -> SourceSyntaxError? {
    do throws(SourceSyntaxError) {
      _ = try YAMLSource.parse(yaml)
      return nil
    } catch {
      return error
    }
  }

  @Test func whatIsRightIsKept() {
    let document = read(
      """
      camera: {width: 640, rate: 2.5, rotation: 90, mirror: True}
      hosts: [a, b]
      logos: []
      steps: b
      lax: no
      title: {en: Hello, de: Hallo}
      links: [{url: x}]
      patterns: {a: "[0-9]", b: {length: [2, 4]}}
      """)
    #expect(document.problems.isEmpty, "\(document.problems)")
    let checked = document.checked
    #expect(checked.at("camera.width")?.int == 640)
    #expect(checked.at("camera.rate")?.double == 2.5)
    #expect(checked.at("camera.rotation")?.string == "90")
    #expect(checked.at("camera.mirror")?.bool == true)
    #expect(checked["hosts"]?.strings == ["a", "b"])
    #expect(checked["logos"]?.strings == [])
    #expect(checked["steps"]?.strings == ["b"])
    #expect(checked["lax"]?.bool == false)
    #expect(checked.at("title.de")?.string == "Hallo")
    #expect(checked["links"]?.elements.first?["url"]?.string == "x")
    #expect(checked.at("patterns.b.length")?.elements.map(\.int) == [2, 4])
  }

  @Test func everyProblemHasItsPlace() {
    #expect(places("camera:\n  width: 15\n") == ["2:10: camera.width"])
    #expect(places("camera: {mirror: false, rotaton: 0}") == ["1:25: camera.rotaton"])
    #expect(places("hosts:\n  - a\n  - [b]\n") == ["3:5: hosts"])
    #expect(places("links:\n  - url: x\n  - {url: toolongforit, x: 1}\n") == ["3:11: links.2.url", "3:25: links.2.x"])
    #expect(places("patterns:\n  a: {length: [1, 20]}\n") == ["2:15: patterns.a.length"])
    #expect(places("title: {Deutsch: x}") == ["1:9: title"])
    #expect(places("camera: 5\nhosts: []\n") == ["1:9: camera", "2:8: hosts"])
  }

  @Test(arguments: [
    ("camera: {width: 16}", "camera: {width: 15}"), ("camera: {width: 8192}", "camera: {width: 8193}"),
    ("camera: {width: 17}", "camera: {width: \"17\"}"), ("camera: {width: 17}", "camera: {width: 17.5}"),
    ("camera: {rate: 0.1}", "camera: {rate: 0.09}"), ("camera: {rate: 240}", "camera: {rate: 240.1}"),
    ("camera: {rate: 1}", "camera: {rate: .nan}"), ("camera: {rate: 1}", "camera: {rate: .inf}"),
    ("camera: {rotation: \"90\"}", "camera: {rotation: 91}"), ("camera: {mirror: false}", "camera: {mirror: no}"),
    ("camera: {mirror: true}", "camera: {mirror: \"true\"}"), ("lax: on", "lax: \"on\""), ("lax: off", "lax: 0"),
    ("hosts: a", "hosts:"), ("hosts: [a]", "hosts: {a: b}"), ("hosts: [a]", "hosts: [a, ~]"),
    ("logos: [a]", "logos: a"), ("logos: [12345678]", "logos: [123456789]"), ("logos: []", "logos: [\"\"]"),
    ("steps: [a, b]", "steps: [a, c]"), ("steps: a", "steps: []"), ("title: x", "title: [x]"),
    ("title: {en: x}", "title: {en: \"\"}"), ("links:", "links: {url: x}"), ("links: [{url: x}]", "links: [x]"),
    ("links: [{url: \"12345678\"}]", "links: [{url: \"123456789\"}]"), ("patterns: {a: x}", "patterns: x"),
    ("patterns: {a: x}", "patterns: {a: }"), ("title: {en: x}", "title: {en: }"), ("camera:", "camera: x"),
    ("patterns: {a: {length: 9}}", "patterns: {a: {length: 10}}"),
    ("patterns: {a: {length: [1, 2]}}", "patterns: {a: {length: [1, 2, 3]}}"),
    ("links: [{url: x}]", "links: [{url: \"a\\0b\"}]"),
  ])
  func boundsAreKeptOnBothSides(_ good: String, _ bad: String) {
    #expect(read(good).problems.isEmpty, "\(read(good).problems)")
    let problems = read(bad).problems
    #expect(problems.count == 1, "\(bad)")
    #expect(problems.allSatisfy { !$0.hint.isEmpty && $0.line == 1 })
  }

  /// What is wrong reaches no reader.
  @Test func whatIsWrongIsLeftOut() {
    let checked = read("camera: {width: 5, mirror: maybe, height: 3}\nsteps: [a, x]\nlinks: [{url: \"\"}]").checked
    #expect(checked["camera"]?.entries.isEmpty == true)
    #expect(checked["steps"]?.strings == ["a"])
    #expect(checked["links"]?.elements.first?.entries.isEmpty == true)
  }

  @Test func anUnknownKeyComesWithTheNearestOne() {
    func hint(_ yaml: String) -> String? { read(yaml).problems.first?.hint }
    #expect(hint("camera: {widht: 5}") == "Did you mean camera.width?")
    #expect(hint("camra: {width: 5}") == "Did you mean camera?")
    #expect(hint("links: [{ulr: x}]") == "Did you mean links.1.url?")
    // Nearly every short word is near to some other one.
    #expect(hint("links: [{foo: x}]")?.hasPrefix("Keys are ") == true)
    #expect(hint("links: [{colours: x}]") == "Keys are url.")
    #expect(hint("hosts: []") == "Write hosts: [a].")
  }

  @Test func aTextThatIsNoYAMLIsOneProblemInTheText() {
    for yaml in ["a: [", "\t- x", "a: \"", "&a [*a", "a: {b: *c}"] {
      let document = read(yaml)
      #expect(document.problems.count == 1, "\(yaml)")
      #expect(document.problems.first?.line == 1, "\(yaml): \(document.problems)")
      #expect(document.root == nil)
    }
    #expect(places("camera:\n  width: 64\n  width: 65\n") == ["2:3: width"])
    #expect(places("- a") == ["1:1: "])
    #expect(read("").problems.isEmpty)
    #expect(read("# nothing").problems.isEmpty)
  }

  @Test func deepNestingIsRefused() {
    #expect(read(String(repeating: "[", count: 100) + String(repeating: "]", count: 100)).problems.count == 1)
  }

  /// What a line or two of them stand for is not to be walked.
  @Test(arguments: [
    ("a: &a [x]", "1:4"), ("a: &a [x]\nb: *a", "1:4"), ("b: *a", "1:4"), ("- x\n- !!str &a y", "2:9"),
    ("\"b\": 1\n*a : 1", "2:1"), ("b: { c: 1,\n  {d: *a} }", "2:7"), ("b: {*a: 1}", "1:5"), ("? *a", "1:3"),
    ("# it's\nb: say \"it\nc: *a", "3:4"), ("b: |\n  \"\nc: *a", "3:4"), ("b: \"\\\"\"\n*a : 1", "2:1"),
    ("b: {c: \"d # e\", f: *g}", "1:20"), ("b: it's\n*a : that's", "2:1"),
  ])
  func anAnchorOrAnAliasIsRefused(_ yaml: String, _ place: String) {
    for ending in ["", "\n"] {
      #expect(read(yaml + ending).root == nil && places(yaml + ending) == ["\(place): "], "\(yaml)")
      #expect(syntaxError(yaml + ending)?.hint.contains("write the value where it belongs") == true)
    }
  }

  @Test(arguments: [
    #"title: "{count}: &all""#, "title: '*a: it''s *b: c'", "title: a # *c : d, &it's", "title: Tom & Jerry *really*",
    "title: a&b*c", #"title: Press "*Start*" & {name}"#, "links:\n  - \"url\": \"*x : \"", "title: x?a=1&b=2",
    "title: |\n  *not* an alias\n  & so on", "title: >\n  &a", "hosts: [a, \"*.example.com\"]",
  ])
  func aTextThatLooksLikeOneIsTaken(_ yaml: String) {
    #expect(syntaxError(yaml) == nil)
  }

  @Test func tooManyValuesAreRefused() {
    let values = "a: [" + String(repeating: "1,", count: SourceLimits.values) + "]"
    #expect(syntaxError(values)?.code == "tooLarge")
  }

  @Test func theFirstOriginThatHasAKeyDecides() {
    let file = ConfigurationValues(read("camera: {width: 320, rate: 5}"), table: Self.table)
    let variables = ConfigurationValues(
      environment: ["WAYMARK_CAMERA_WIDTH": "640", "WAYMARK_HOSTS": "a,b", "WAYMARK_LINKS": "x", "HOME": "/"],
      table: Self.table)
    let flags = ConfigurationValues(flags: ["camera.mirror": "true", "camera.rate": "x"], table: Self.table)
    let reader = ConfigurationReader(layers: [flags, variables, file].map(\.values))
    #expect(reader["camera.width"] == .int(640))
    #expect(reader["camera.rate"] == .double(5))
    #expect(reader["camera.mirror"] == .bool(true))
    #expect(reader["hosts"] == .strings(["a", "b"]))
    #expect(reader["camera.rotation"] == nil)
    // Lists of sections have no variable.
    #expect(variables.problems.map(\.key) == ["WAYMARK_LINKS"])
    #expect(
      flags.problems.map(\.description) == ["flags: camera.rate: a number from 0.1 to 240.0 is expected, not \"x\""])
  }

  @Test func thePageShowsARowForEachKey() throws {
    let text = ConfigurationReference.markdown(Array(Self.table.keys.prefix(3)), without: "camera.", marksChanges: true)
    #expect(
      text == """
        | key | value | meaning | default |
        |---|---|---|---|
        | `width`† | `16..8192` | pixels |
        | `rate`† | `0.1..240.0` | frames a second |
        | `rotation`† | `0` `90` | degrees | `0` |

        """)
    let page = "a\n<!-- keys: made -->\nold\n<!-- end of keys -->\nb\n"
    #expect(
      ConfigurationReference.page(page, replacing: "keys", with: "new\n")
        == "a\n<!-- keys: made -->\nnew\n<!-- end of keys -->\nb\n")
    #expect(ConfigurationReference.page("a", replacing: "keys", with: "new\n") == nil)
  }
}
