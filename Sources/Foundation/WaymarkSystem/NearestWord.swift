/// Finds the known word nearest to a mistyped one.
package enum NearestWord {
  /// The word of `known` with the fewest differences from `word`, where these are few enough for a slip: at most two, or a
  /// third of its length. Nil otherwise, and for a word longer than any that is known to be meant.
  package static func of(_ word: String, among known: some Sequence<String>) -> String? {
    guard word.utf8.count <= longest else { return nil }
    let distances = known.map { ($0, distance($0.lowercased(), word.lowercased())) }
    guard let best = distances.min(by: { $0.1 < $1.1 }), best.1 <= max(2, word.count / 3) else { return nil }
    return best.0
  }

  /// In bytes: a stranger's text of any length costs no more time than a word.
  private static let longest = 128

  /// Levenshtein's distance in bytes: insertions, deletions and replacements that make one text of the other.
  package static func distance(_ a: String, _ b: String) -> Int {
    let (a, b) = (Array(a.utf8), Array(b.utf8))
    var row = Array(0...b.count)
    for i in 0..<a.count {
      var corner = row[0]
      row[0] = i + 1
      for j in 0..<b.count {
        let next = min(row[j] + 1, row[j + 1] + 1, corner + (a[i] == b[j] ? 0 : 1))
        corner = row[j + 1]
        row[j + 1] = next
      }
    }
    return row[b.count]
  }
}
