/// One of the eight ways in which a square can lie.
package struct AztecOrientation {
  var quarters: Int
  package var mirrored: Bool

  /// Where a module of the upright symbol lies.
  package func apply(_ x: Int, _ y: Int) -> (Int, Int) {
    var (u, v) = mirrored ? (y, x) : (x, y)
    for _ in 0..<quarters { (u, v) = (-v, u) }
    return (u, v)
  }

  /// How the symbol lies, by the marks in the corners of the ring around the bull's eye (clause 7.2.2), and how many of the
  /// twelve modules are wrong.
  package static func find(_ matrix: ModuleMatrix, _ radius: Int) -> (AztecOrientation, wrong: Int)? {
    let r = radius
    let marks: [(Int, Int, Bool)] = [
      (-r, -r, true), (1 - r, -r, true), (-r, 1 - r, true),
      (r, -r, true), (r, 1 - r, true), (r - 1, -r, false),
      (r, r, false), (r, r - 1, true), (r - 1, r, false),
      (-r, r, false), (1 - r, r, false), (-r, r - 1, false),
    ]
    var best: (AztecOrientation, Int)?
    for mirrored in [false, true] {
      for quarters in 0..<4 {
        let turn = AztecOrientation(quarters: quarters, mirrored: mirrored)
        let wrong = marks.count { mark in
          let (u, v) = turn.apply(mark.0, mark.1)
          return matrix[u + r, v + r] != mark.2
        }
        if wrong < best?.1 ?? 3 { best = (turn, wrong) }
      }
    }
    return best
  }
}
