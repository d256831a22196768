/// The comments of the protocol's types, for descriptions that other programs read.
package struct ProtocolComments: Sendable {
  private let comments: [String: String]

  /// The comments of this version's types.
  static let ofThisVersion = Self(text)

  init(_ text: String) {
    comments = Dictionary(
      text.split(separator: "\n").compactMap { line in
        let parts = line.split(separator: "\t", maxSplits: 1)
        return parts.count == 2 ? (parts[0].trimmingPrefix(while: { $0 == " " }).description, String(parts[1])) : nil
      }, uniquingKeysWith: { first, _ in first })
  }

  /// The comment of a type, or of a member or a word of it.
  package func of(_ type: String, _ member: String? = nil) -> String? {
    comments[member.map { "\(type).\($0)" } ?? type]
  }

  /// The members and words of a type that have comments, sorted.
  package func members(of type: String) -> [String] {
    comments.keys.filter { $0.hasPrefix("\(type).") && !$0.dropFirst(type.count + 1).contains(".") }
      .map { String($0.dropFirst(type.count + 1)) }.sorted()
  }
}
