import WaymarkSystem

/// All keys of a configuration file: its only description, by which it is read, checked and documented.
package struct ConfigurationTable: Sendable {
  /// The rows.
  package let keys: [ConfigurationKey]
  /// The keys as a tree.
  let root: Level
  private let byPath: [String: ConfigurationKey]
  /// The path of sections in which some of the keys may stand again, by their parts: `profiles`, `NAME`.
  private let overlay: [Substring]
  /// The packages that read sections which this table has not, by the name of the section.
  package let elsewhere: [String: String]

  /// A section or a key, with what stands under it.
  struct Level: Sendable {
    let name: String
    var key: ConfigurationKey?
    var children: [Level] = []

    /// The level of a name: its own, or that of names of the user's choice.
    func child(_ name: String) -> Level? {
      children.first { $0.name == name } ?? children.first { $0.isPlaceholder }
    }

    /// True if it stands for any name.
    var isPlaceholder: Bool { name.allSatisfy { $0.isUppercase } }

    var names: [String] { children.map(\.name) }

    fileprivate mutating func add(_ key: ConfigurationKey, _ rest: ArraySlice<Substring>) {
      guard let name = rest.first else {
        self.key = key
        return
      }
      if let index = children.firstIndex(where: { $0.name == name }) {
        children[index].add(key, rest.dropFirst())
      } else {
        var child = Level(name: String(name))
        child.add(key, rest.dropFirst())
        children.append(child)
      }
    }
  }

  /// A table of rows, in the order of the page.
  ///
  /// - Parameters:
  ///   - overlay: the path of sections in which some of the keys stand again, such as `profiles.NAME`.
  ///   - elsewhere: the packages that read sections which these rows have not, by the name of the section.
  package init(_ keys: [ConfigurationKey], overlay: String? = nil, elsewhere: [String: String] = [:]) {
    self.keys = keys
    self.elsewhere = elsewhere
    self.overlay = overlay?.split(separator: ".") ?? []
    var root = Level(name: "")
    for key in keys { root.add(key, key.path.split(separator: ".")[...]) }
    self.root = root
    byPath = Dictionary(keys.map { ($0.path, $0) }) { first, _ in first }
  }

  /// The names of the sections, and of keys that stand in none.
  package var sections: [String] { root.names }

  /// The row of a path as it stands in the table.
  package func key(_ path: String) -> ConfigurationKey? { byPath[path] }

  /// The row of a path as it stands in a file.
  package func key(at path: [String]) -> ConfigurationKey? {
    path.reduce(Level?.some(root)) { $0?.child($1) }?.key
  }

  /// The key or section at the top that `path`, which is none, would stand for in a section that holds some of them again.
  func fixed(_ path: String) -> (path: String, key: ConfigurationKey?)? {
    let parts = path.split(separator: ".", omittingEmptySubsequences: false)
    guard !overlay.isEmpty, parts.count > overlay.count,
      zip(parts, overlay).allSatisfy({ $1.allSatisfy(\.isUppercase) || $0 == $1 })
    else { return nil }
    let rest = parts[overlay.count...]
    guard let level = rest.reduce(Level?.some(root), { $0?.child(String($1)) }) else { return nil }
    return (rest.joined(separator: "."), level.key)
  }

  /// The full path of the key that may have been meant by `name` in a section: one beside it, else any that is alike.
  func suggestion(for name: String, in level: Level, at path: String) -> String? {
    let full = path.isEmpty ? name : "\(path).\(name)"
    if let near = NearestWord.of(name, among: level.children.filter { !$0.isPlaceholder }.map(\.name)) {
      return path.isEmpty ? near : "\(path).\(near)"
    }
    return NearestWord.of(full, among: keys.map(\.path))
  }
}
