/// A regular expression compiled to instructions (K. Thompson, "Regular expression search algorithm", CACM 11, 1968).
struct RegularExpressionProgram: Sendable {
  enum Instruction: Sendable {
    case take(ScalarClass, next: Int)
    /// Continues at all targets, the preferred first.
    case split([Int])
    /// Stores the position as the start or end of a group.
    case save(slot: Int, next: Int)
    case assert(RegularExpressionAssertion, next: Int)
    case accept
  }

  private(set) var instructions: [Instruction] = [.accept]
  private(set) var start = 0
  /// The number of captured groups; none unless it is a search.
  let groups: Int
  private let ignoresCase: Bool
  /// The number of instructions, counting every part of a class.
  private var size = 0

  /// The longest expression, in characters.
  static let lengthLimit = 400
  /// The largest size: repetitions are unrolled.
  private static let sizeLimit = 4_000

  /// Compiles an expression.
  ///
  /// - Parameter isSearch: true to search for matches in a text; false to match whole texts.
  init(_ expression: String, isSearch: Bool) throws(RegularExpressionFlaw) {
    let count = expression.count
    guard (1...Self.lengthLimit).contains(count) else {
      throw RegularExpressionFlaw("it has \(count) characters; 1 to \(Self.lengthLimit) are allowed")
    }
    var parser = RegularExpressionParser(expression, isSearch: isSearch)
    let root = try parser.parse()
    groups = parser.groups
    ignoresCase = parser.ignoresCase
    start = try add(root, before: 0)
  }

  /// Returns whether a class contains a character, in either case if the expression ignores case.
  func takes(_ set: ScalarClass, _ scalar: Unicode.Scalar) -> Bool {
    guard ignoresCase else { return set.contains(scalar) }
    // A class that contains "a" also contains "A", and a class that excludes "a" excludes both.
    let isNamed =
      set.names(scalar)
      || [scalar.properties.uppercaseMapping, scalar.properties.lowercaseMapping].contains { mapping in
        guard let other = mapping.unicodeScalars.first, mapping.unicodeScalars.count == 1 else { return false }
        return set.names(other)
      }
    return isNamed != set.isInverted
  }

  private mutating func add(_ instruction: Instruction) -> Int {
    instructions.append(instruction)
    return instructions.count - 1
  }

  /// Compiles a part that continues at an instruction.
  ///
  /// - Returns: its first instruction.
  private mutating func add(_ node: RegularExpressionNode, before next: Int) throws(RegularExpressionFlaw) -> Int {
    if case .scalar(let set) = node { size += set.parts.count } else { size += 1 }
    guard size <= Self.sizeLimit else { throw RegularExpressionFlaw("it is too long with its repetitions") }
    switch node {
    case .scalar(let set): return add(.take(set, next: next))
    case .assertion(let assertion): return add(.assert(assertion, next: next))
    case .group(let number, let part):
      let end = add(.save(slot: 2 * number + 1, next: next))
      return add(.save(slot: 2 * number, next: try add(part, before: end)))
    case .sequence(let parts):
      var place = next
      for part in parts.reversed() { place = try add(part, before: place) }
      return place
    case .choice(let parts):
      var targets: [Int] = []
      for part in parts { targets.append(try add(part, before: next)) }
      return add(.split(targets))
    case .repeated(let part, let least, let most, let isLazy):
      func either(_ inner: Int, _ next: Int) -> Instruction { .split(isLazy ? [next, inner] : [inner, next]) }
      var place = next
      if let most {
        for _ in least..<max(least, most) {
          // Each optional repetition may skip all following ones.
          place = add(either(try add(part, before: place), next))
        }
      } else {
        place = add(.split([next]))
        instructions[place] = either(try add(part, before: place), next)
      }
      for _ in 0..<least { place = try add(part, before: place) }
      return place
    }
  }
}

/// The instructions reached at a position of a text.
struct RegularExpressionFrontier<Element> {
  /// The instructions that consume a character or accept, the preferred first.
  var list: [Element] = []
  /// The instructions that were entered.
  private(set) var visited: [Int] = []
  private var has: [Bool]

  /// - Parameter count: the number of instructions.
  init(count: Int) { has = Array(repeating: false, count: count) }

  /// Enters an instruction; returns false if it was entered before.
  mutating func visit(_ place: Int) -> Bool {
    guard !has[place] else { return false }
    has[place] = true
    visited.append(place)
    return true
  }

  mutating func clear() {
    for place in visited { has[place] = false }
    visited.removeAll(keepingCapacity: true)
    list.removeAll(keepingCapacity: true)
  }
}
