/// A configuration file, read once: what stands in it with its places, what of it is known and right, and what is wrong with the rest.
package struct ConfigurationDocument: Sendable {
  /// The file, as problems name it.
  package let path: String
  /// All that stands in it; nil where that is nothing, or no YAML.
  package let root: SourceNode?
  /// What is known and right of it: a map.
  package let checked: SourceNode
  /// The problems of the file, in its order.
  package let problems: [ConfigurationProblem]

  /// Reads a text.
  ///
  /// - Parameter prepare: changes what stands there before it is held to the table.
  package init(
    _ text: String, path: String, table: ConfigurationTable, prepare: (SourceNode) -> SourceNode = { $0 }
  ) {
    self.path = path
    let nothing = SourceNode(mark: SourceMark(line: 1, column: 1), value: .map([]))
    do throws(SourceSyntaxError) {
      root = try YAMLSource.parse(text)
      (checked, problems) = root.map { table.check(prepare($0), origin: path) } ?? (nothing, [])
    } catch {
      root = nil
      checked = nothing
      problems = [.notYAML(error, origin: path)]
    }
  }

  /// The document with other values.
  private init(_ document: ConfigurationDocument, checked: SourceNode) {
    (path, root, problems) = (document.path, document.root, document.problems)
    self.checked = checked
  }

  /// This document with what a section says in addition or instead.
  package func overlaid(by section: SourceNode) -> ConfigurationDocument {
    ConfigurationDocument(self, checked: checked.overlaid(by: section))
  }

  /// A path in it: relative ones start where the file is.
  package func resolved(_ name: String) -> String {
    guard !name.hasPrefix("/"), let slash = path.lastIndex(of: "/") else { return name }
    return String(path[...slash]) + name
  }

  /// A problem with something in it.
  package func problem(_ message: String, _ key: String?, _ node: SourceNode?, hint: String) -> ConfigurationProblem {
    ConfigurationProblem(origin: path, mark: node?.mark, key: key, message: message, hint: hint)
  }
}
