import WaymarkImage

/// Decodes the dots of a DotCode symbol (AIM ISS DotCode, clause 5).
///
/// A codeword from which a dot is missing shows four dots, which fit at most five values: if more codewords are unreadable than there are
/// check codewords, these values are tried. A result is accepted by the number of dots that agree with it, not by unused check codewords.
package enum DotCodeDecoder {
  /// The possible lengths of the sides of a symbol, in modules.
  static let sides = 5...200

  /// Returns the message; `nil` if there is no symbol of this size, or too few dots agree with any content.
  ///
  /// - Parameter matrix: one module for each position of the grid. Every second position can hold a dot.
  package static func decode(_ matrix: ModuleMatrix) -> CodeMessage? {
    // The upright form has an odd number of columns, so a symbol with an even number is turned.
    guard (matrix.columns + matrix.rows) % 2 == 1 else { return nil }
    let upright =
      matrix.columns % 2 == 1
      ? matrix : matrix.picked(columns: matrix.rows, rows: matrix.columns) { ($1, matrix.rows - 1 - $0) }
    guard let places = places(columns: upright.columns, rows: upright.rows) else { return nil }
    let dots = places.map { x, y in (upright[x, y] ? 1 : -1) * upright.margin(x, y) }
    return decode(dots)
  }

  /// Returns the positions of the dots in the order of their bits: down the columns, the six at the corners last; `nil` if there is
  /// no symbol of this size.
  static func places(columns: Int, rows: Int) -> [(x: Int, y: Int)]? {
    guard columns % 2 == 1, rows % 2 == 0, sides.contains(columns), sides.contains(rows) else { return nil }
    let (right, bottom) = (columns - 1, rows - 1)
    let last = [(right, bottom - 1), (0, bottom - 1), (right - 1, bottom), (1, bottom), (right, 0), (0, 0)]
    var places: [(x: Int, y: Int)] = []
    for x in 0...right {
      for y in stride(from: x % 2, through: bottom, by: 2) where !last.contains(where: { $0 == (x, y) }) {
        places.append((x, y))
      }
    }
    return places + last
  }

  /// Returns the message of dots in the order of `places`, positive for a lit dot, with a larger magnitude for a more certain one; `nil` if
  /// too few dots agree with any content.
  static func decode(_ dots: [Float]) -> CodeMessage? {
    var words = DotCodeWords(dots)?.corrected()
    if words == nil, dots.suffix(6).allSatisfy({ $0 > 0 }) {
      // All six dots at the corners may be lit to show the outline, instead of encoding data.
      words = DotCodeWords(dots.dropLast(6) + [Float](repeating: 0, count: 6))?.corrected()
    }
    return words.flatMap {
      var text = DotCodeText($0)
      return text.message()
    }
  }
}
