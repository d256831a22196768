import Foundation
import Testing

@testable import WaymarkKiosk

@Suite("The page's gathered files")
struct PageBundleTests {
  private static func real(_ name: String) -> String? {
    try? String(contentsOfFile: KioskServerTests.assets + "/" + name, encoding: .utf8)
  }

  @Test("The real page asks for one style sheet, one script and its letters, and each module is in one of the two")
  func page() throws {
    let files = try #require(PageBundle.gather({ Self.real($0) }, configuration: #"{"show":["<\"&"]}"#))
    let index = try #require(files["index.html"])
    #expect(
      index.matches(of: /(?:href|src)="\/assets\/([^"]+)"/).map { String($0.1) }.sorted() == [
        "fonts/inter-regular.woff2", "fonts/inter-semibold.woff2", "icon.svg", "page.css", "page.js", "page.js",
      ])
    #expect(index.contains(#"content="{&quot;show&quot;:[&quot;&lt;\&quot;&amp;&quot;]}""#))
    let first = try #require(files["page.js"])
    let later = try #require(files["views.js"])
    let sheets = try #require(Self.real("index.html")).matches(of: /\/assets\/(css\/[^"]+)"/).map { String($0.1) }
    let style = try #require(files["page.css"])
    #expect(try sheets.allSatisfy { try style.contains(#require(Self.real($0))) } && sheets.count > 5)
    let folder = KioskServerTests.assets + "/js"
    let modules = try FileManager.default.subpathsOfDirectory(atPath: folder).filter {
      $0.hasSuffix(".js") && !$0.contains("kit")
    }
    #expect(modules.count > 30)
    for module in modules {
      let start = "$makers['js/\(module)'] ="
      #expect(first.ranges(of: start).count + later.ranges(of: start).count == 1, "\(module)")
    }
    #expect(first.hasSuffix("$need('js/main.js');\n") && !first.contains("$makers['js/views/scanner.js']"))
    // Every file that is asked for is there, and was made before.
    for (text, before) in [(first, ""), (later, first)] {
      #expect(text.matches(of: #/(?m)^(?:import|export) /#).count == 1 + (before.isEmpty ? 1 : 0))
      for wanted in text.matches(of: /\$need\('([^']+)'\)/) where !text[..<wanted.range.lowerBound].hasSuffix("() => ")
      {
        let made = "$makers['\(wanted.1)'] ="
        #expect(before.contains(made) || text[..<wanted.range.lowerBound].contains(made), "\(wanted.1)")
      }
    }
  }

  @Test("Modules become functions that ask each other")
  func modules() throws {
    let files = [
      "index.html": """
      <head>
        <link rel="stylesheet" href="/assets/a.css">
        <script type="module" src="/assets/js/main.js"></script>
      """,
      "a.css": "a { }",
      "js/main.js": "import { one, two as three } from './parts/one.js';\nconst load = () => import('./late.js');",
      "js/parts/one.js": "import * as all from '../two.js';\nexport const one = 1;\nexport async function two() {}",
      "js/two.js": "export class Two {}", "js/late.js": "import './two.js';\nexport function* late() {}",
    ]
    let made = try #require(PageBundle.gather({ files[$0] }, configuration: "{}"))
    #expect(
      made["page.js"]?.hasSuffix(
        """
        $makers['js/two.js'] = ($exports) => {
        class Two {}
        Object.assign($exports, { Two });
        };
        $makers['js/parts/one.js'] = ($exports) => {
        const all = $need('js/two.js');
        const one = 1;
        async function two() {}
        Object.assign($exports, { one, two });
        };
        $makers['js/main.js'] = ($exports) => {
        const { one, two: three } = $need('js/parts/one.js');
        const load = () => import('/assets/views.js').then(() => $need('js/late.js'));
        Object.assign($exports, {  });
        };
        $need('js/main.js');

        """) == true)
    #expect(
      made["views.js"] == """
        import { $makers, $need } from './page.js';
        $makers['js/late.js'] = ($exports) => {
        $need('js/two.js');
        function* late() {}
        Object.assign($exports, { late });
        };

        """)
    #expect(made["page.css"] == "a { }\n")
  }

  @Test("Comments and what indents a line stay behind; code after a type does not")
  func comments() throws {
    let main = """
      // Boots.
      /** One line. */
      /**
       * Several lines: import nothing.
       */
      export function begin() {
        // What it does.
        const style = `
          * { margin: 0; }`;
        /** @type {any} */ (style).go(); // and on

        return style;
      }
      """
    let files = [
      "index.html":
        "\n<link rel=\"stylesheet\" href=\"/assets/a.css\"><script type=\"module\" src=\"/assets/a.js\"></script>",
      "a.css": "", "a.js": main,
    ]
    let made = try #require(PageBundle.gather({ files[$0] }, configuration: "{}")?["page.js"])
    #expect(
      made.hasSuffix(
        """
        $makers['a.js'] = ($exports) => {
        function begin() {
        const style = `
        * { margin: 0; }`;
        /** @type {any} */ (style).go(); // and on
        return style;
        }
        Object.assign($exports, { begin });
        };
        $need('a.js');

        """))
  }

  @Test(
    "A page that is written otherwise is left as it is",
    arguments: [
      "export default 1;", "export let one = 1;", "export { one };", "import one from './one.js';",
      "import { one } from 'one';",
      "import './missing.js';", "import './a.js';",
    ])
  func others(line: String) {
    let files = [
      "index.html":
        "\n<link rel=\"stylesheet\" href=\"/assets/a.css\"><script type=\"module\" src=\"/assets/a.js\"></script>",
      "a.css": "", "a.js": line, "one.js": "",
    ]
    #expect(PageBundle.gather({ files[$0] }, configuration: "{}") == nil)
  }
}
