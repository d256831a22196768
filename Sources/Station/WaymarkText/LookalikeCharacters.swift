/// The groups of characters that look alike in print.
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

  /// Returns the characters for which a character may be mistaken.
  package static func of(_ character: String) -> [String] { partners[character] ?? [] }

  /// Returns whether two characters may be mistaken for each other; upper and lower case of a letter may be, too.
  static func areAlike(_ a: String, _ b: String) -> Bool {
    of(a).contains(b) || a.uppercased() == b.uppercased()
  }
}
