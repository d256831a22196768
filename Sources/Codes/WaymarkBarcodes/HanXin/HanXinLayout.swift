/// The positions of fixed, data and function modules in a Han Xin Code symbol of one version (ISO/IEC 20830, clause 5).
struct HanXinLayout: Sendable {
  static let versions = 1...84

  let version: Int
  let side: Int
  /// The modules with the same tone in every symbol, row by row: true for a dark one; nil for data and function information.
  let fixed: [Bool?]
  /// The indices of the data modules, in the order of their bits.
  let data: [Int]

  /// The finder pattern at the top left, without the light line that separates it from the data; the other corners have turned or
  /// mirrored copies.
  private static let finder = ["1111111", "1000000", "1011111", "1010000", "1010111", "1010111", "1010111"].map {
    $0.map { $0 == "1" }
  }
  /// The number of modules of a finder pattern with the light line and the function information beside it.
  private static let corner = 9

  static func side(_ version: Int) -> Int { 21 + 2 * version }

  init(_ version: Int) {
    self.version = version
    let side = Self.side(version)
    self.side = side
    var fixed = [Bool?](repeating: nil, count: side * side)
    func set(_ x: Int, _ y: Int, _ isDark: Bool) {
      guard x >= 0, y >= 0, x < side, y < side, !Self.isCorner(x, y, side), fixed[y * side + x] == nil else { return }
      fixed[y * side + x] = isDark
    }
    Self.drawLines(HanXinVersion.all[version - 1].pitch, side, set)
    let isData = fixed.indices.map { fixed[$0] == nil && !Self.isCorner($0 % side, $0 / side, side) }
    for y in 0..<side {
      for x in 0..<side where Self.isCorner(x, y, side) { fixed[y * side + x] = Self.tone(x, y, side) }
    }
    self.fixed = fixed
    data = isData.indices.filter { isData[$0] }
  }

  /// Returns whether a module belongs to a finder pattern, the light line or the function information beside it.
  private static func isCorner(_ x: Int, _ y: Int, _ side: Int) -> Bool {
    max(min(x, side - 1 - x), min(y, side - 1 - y)) < corner
  }

  /// Returns the tone of a module of a finder pattern or the light line beside it; nil for other modules.
  static func tone(_ x: Int, _ y: Int, _ side: Int) -> Bool? {
    let (u, v) = (min(x, side - 1 - x), min(y, side - 1 - y))
    guard max(u, v) < corner - 1 else { return nil }
    guard max(u, v) < corner - 2 else { return false }
    // The pattern at the bottom left is the same as the one at the top right.
    return x == u && y != v ? finder[6 - v][6 - u] : finder[v][u]
  }

  /// Draws the alignment lines, dark with a light line inside, and the small patterns where they end at the sides.
  private static func drawLines(
    _ pitch: (length: Int, count: Int), _ side: Int, _ set: (_ x: Int, _ y: Int, _ isDark: Bool) -> Void
  ) {
    guard pitch.count > 0 else { return }
    let (last, rest) = (side - 1, side - pitch.count * pitch.length - 1)
    // The lines are counted from the top right corner.
    let starts = (0...pitch.count).map { $0 * pitch.length } + [last]
    let lengths = starts.indices.map { $0 < pitch.count ? pitch.length : rest }
    func end(_ x: Int, _ y: Int) {
      for v in (y - 1)...(y + 1) { for u in (x - 1)...(x + 1) { set(u, v, u == x && v == y) } }
    }
    for (i, at) in starts.enumerated() {
      if i.isMultiple(of: 2) != pitch.count.isMultiple(of: 2) {
        end(0, at)
        end(last - at, last)
      }
      if !i.isMultiple(of: 2) {
        end(last, at)
        end(last - at, 0)
      }
    }
    for (j, y) in starts.enumerated() {
      for (i, from) in starts.enumerated() where (i + j).isMultiple(of: 2) && (i, j) != (0, 0) {
        let x = last - from
        set(x, y, true)
        set(x - 1, y + 1, false)
        for k in stride(from: 1, through: lengths[i], by: 1) {
          set(x - k, y, true)
          set(x - k - 1, y + 1, false)
        }
        for k in stride(from: 1, to: lengths[j], by: 1) {
          set(x, y + k, true)
          set(x - 1, y + k + 1, false)
        }
      }
    }
  }

  /// Returns the positions of the 28 bits of function information, for both copies.
  static func information(_ side: Int) -> [[(x: Int, y: Int)]] {
    let (last, inner) = (side - 1, corner - 1)
    var first: [(x: Int, y: Int)] = []
    for i in 0...inner { first.append((i, inner)) }
    for i in 1...inner { first.append((inner, inner - i)) }
    for i in 0...inner { first.append((last - inner, i)) }
    for i in 1...2 { first.append((last - inner + i, inner)) }
    return [first, first.map { (x: last - $0.x, y: last - $0.y) }]
  }

  /// Returns whether a mask, 0 to 3, inverts a module; mask 0 leaves all unchanged.
  static func changes(_ mask: Int, _ x: Int, _ y: Int) -> Bool {
    let (i, j) = (y + 1, x + 1)
    return switch mask {
    case 1: (i + j).isMultiple(of: 2)
    case 2: ((i + j) % 3 + j % 3).isMultiple(of: 2)
    case 3: (i % j + j % i + i % 3 + j % 3).isMultiple(of: 2)
    default: false
    }
  }
}
