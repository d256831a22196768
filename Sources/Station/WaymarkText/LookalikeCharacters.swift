/// Characters that print makes alike.
package enum LookalikeCharacters {
  private static let groups: [[String]] = [
    ["0", "O", "o", "D", "Q"], ["1", "I", "l", "|", "i", "!"], ["5", "S", "s"], ["8", "B"], ["2", "Z", "z"],
    ["6", "G"],
  ]

  private static let partners: [String: [String]] = {
    var table: [String: [String]] = [:]
    for group in groups {
      for character in group { table[character] = group.filter { $0 != character } }
    }
    return table
  }()

  /// Returns the characters that one may be mistaken for.
  package static func of(_ character: String) -> [String] { partners[character] ?? [] }

  /// Returns whether one may be mistaken for the other; case apart, they are alike too.
  static func areAlike(_ a: String, _ b: String) -> Bool {
    of(a).contains(b) || a.uppercased() == b.uppercased()
  }
}
