/// A regular expression that matches whole texts. `RegularExpressionProgram` below is the compiled form.
///
/// Codes and labels are untrusted, so a text must not keep the service busy: all paths through the expression are followed
/// simultaneously, without backtracking, and the time is bounded by the product of the lengths of text and expression (K. Thompson,
/// "Regular expression search algorithm", CACM 11, 1968).
///
/// The syntax: characters, `.`, `\d \w \s` and their opposites, `[…]`, groups, `|`, `? * + {n} {n,} {n,m}`, `^` and `$` at the ends,
/// and `(?i)` at the beginning. Back references and lookaround are refused. Characters are Unicode scalars; `\d` is 0 to 9, `\w`
/// letters and digits of all scripts and `_`.
package struct RegularExpression: Sendable {
  /// The states after a part of a text: all instructions of the compiled expression that may follow.
  package struct Progress: Hashable, Sendable {
    fileprivate var places: [Int]
  }

  /// The expression as it was written.
  package let expression: String
  private let program: RegularExpressionProgram

  /// The longest expression, in characters.
  package static let lengthLimit = RegularExpressionProgram.lengthLimit

  /// - Throws: `RegularExpressionFlaw` if the expression is malformed, too large or has a construct outside this
  ///   syntax.
  package init(_ expression: String) throws(RegularExpressionFlaw) {
    program = try RegularExpressionProgram(expression, isSearch: false)
    self.expression = expression
  }

  /// Returns whether the expression matches the whole text.
  package func matches(_ text: String) -> Bool {
    var steps = Int.max
    return matches(text, steps: &steps)
  }

  /// Returns whether the expression matches the whole text.
  ///
  /// - Parameter steps: the remaining number of steps, which is reduced. At 0, the result is false.
  package func matches(_ text: String, steps: inout Int) -> Bool {
    guard let end = advance(beginning, over: text, steps: &steps) else { return false }
    return isWhole(end)
  }

  /// The progress of the empty text.
  package var beginning: Progress {
    var places = RegularExpressionFrontier<Int>(count: program.instructions.count)
    enter(program.start, &places)
    return Progress(places: places.list)
  }

  /// Returns the progress after more text. A search over many readings of a text can then continue only the readings that may still
  /// match.
  ///
  /// - Parameter steps: the remaining number of steps, which is reduced.
  /// - Returns: `nil` if no text with this beginning matches, or if no steps remain.
  package func advance(_ progress: Progress, over text: String, steps: inout Int) -> Progress? {
    var (current, next) = (
      progress.places, RegularExpressionFrontier<Int>(count: program.instructions.count)
    )
    // The cost of allocating the frontiers.
    steps -= program.instructions.count / 64
    for scalar in text.unicodeScalars {
      steps -= current.count + 1
      guard steps > 0 else { return nil }
      next.clear()
      for place in current {
        if case .take(let set, let target) = program.instructions[place], program.takes(set, scalar) {
          enter(target, &next)
        }
      }
      current = next.list
      steps -= next.visited.count
      if current.isEmpty { return nil }
    }
    return Progress(places: current)
  }

  /// Returns whether a text with this progress matches as a whole.
  package func isWhole(_ progress: Progress) -> Bool { progress.places.contains(0) }

  /// Adds all positions that are reached from a position without consuming a character.
  private func enter(_ place: Int, _ places: inout RegularExpressionFrontier<Int>) {
    var open = [place]
    while let place = open.popLast() {
      guard places.visit(place) else { continue }
      if case .split(let targets) = program.instructions[place] { open += targets } else { places.list.append(place) }
    }
  }
}

extension RegularExpression: Hashable {
  package static func == (one: RegularExpression, other: RegularExpression) -> Bool {
    one.expression == other.expression
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(expression) }
}

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
  /// The number of captured groups; 0 for an expression that matches whole texts.
  let groups: Int
  private let ignoresCase: Bool
  /// The number of instructions, counting every part of a class.
  private var size = 0

  /// The longest expression, in characters.
  static let lengthLimit = 400
  /// The largest `size`, in which a repeated part counts once per repetition.
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
    // If case is ignored, a class that contains "a" also contains "A", and a class that excludes "a" excludes both.
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

  /// Compiles a part that continues at a given instruction.
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
          // Each optional repetition may skip all repetitions after it.
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
