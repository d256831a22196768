/// A regular expression for the whole of a text.
///
/// Codes and labels are written by strangers, so no text may keep the service busy: all ways through the expression are gone
/// at once, none is tried and taken back, and the time is that of the text's length times the expression's (K. Thompson, "Regular
/// expression search algorithm", CACM 11, 1968).
///
/// Characters, `.`, `\d \w \s` and their opposites, `[…]`, groups, `|`, `? * + {n} {n,} {n,m}`, `^` and `$` at the ends, and `(?i)` at
/// the beginning. What such a machine cannot do, references to groups and looking around, is refused. Characters are Unicode scalars;
/// `\d` is 0 to 9, `\w` letters and digits of all scripts and `_`.
package struct RegularExpression: Sendable {
  /// How far a text has come: all places of the expression that it may have reached.
  package struct Progress: Hashable, Sendable {
    fileprivate var places: [Int]
  }

  /// As it was written.
  package let expression: String
  private var program: [Instruction] = [.accept]
  private var start = 0
  private let ignoresCase: Bool
  /// The instructions written out so far, every part of a class counted.
  private var size = 0

  /// The longest expression, in characters.
  package static let lengthLimit = 400
  /// Repetitions are written out as often as they may be: so much is enough for any label.
  private static let sizeLimit = 4_000

  private enum Instruction: Sendable {
    case take(ScalarClass, next: Int)
    /// All ways are gone.
    case split([Int])
    case accept
  }

  /// - Throws: what is wrong with it, in words.
  package init(_ expression: String) throws(RegularExpressionFlaw) {
    let count = expression.count
    guard (1...Self.lengthLimit).contains(count) else {
      throw RegularExpressionFlaw("it has \(count) characters; 1 to \(Self.lengthLimit) are allowed")
    }
    var parser = RegularExpressionParser(expression)
    let root = try parser.parse()
    self.expression = expression
    ignoresCase = parser.ignoresCase
    start = try add(root, before: 0)
  }

  /// Returns whether it describes the whole text.
  package func matches(_ text: String) -> Bool {
    var steps = Int.max
    return matches(text, steps: &steps)
  }

  /// Returns whether it describes the whole text.
  ///
  /// - Parameter steps: how many may be taken, less those that were; without any left nothing matches.
  package func matches(_ text: String, steps: inout Int) -> Bool {
    guard let end = advance(beginning, over: text, steps: &steps) else { return false }
    return isWhole(end)
  }

  /// Where every text begins.
  package var beginning: Progress {
    var places = Places(count: program.count)
    enter(start, &places)
    return Progress(places: places.list)
  }

  /// How far it comes with what follows: so that of many readings of a text only those are gone on with that may still be right.
  ///
  /// - Parameter steps: how many may be taken, less those that were.
  /// - Returns: nil where nothing that begins so is described, and where no steps are left.
  package func advance(_ progress: Progress, over text: String, steps: inout Int) -> Progress? {
    var (current, next) = (progress.places, Places(count: program.count))
    // Room for the places is made each time.
    steps -= program.count / 64
    for scalar in text.unicodeScalars {
      steps -= current.count + 1
      guard steps > 0 else { return nil }
      next.clear()
      for place in current {
        if case .take(let set, let target) = program[place], takes(set, scalar) { enter(target, &next) }
      }
      current = next.list
      steps -= next.visited.count
      if current.isEmpty { return nil }
    }
    return Progress(places: current)
  }

  /// Returns whether a text that came so far is described as a whole.
  package func isWhole(_ progress: Progress) -> Bool { progress.places.contains(0) }

  private func takes(_ set: ScalarClass, _ scalar: Unicode.Scalar) -> Bool {
    guard ignoresCase else { return set.contains(scalar) }
    // A class that names an "a" means the "A" too, one that leaves it out leaves out both.
    let isNamed =
      set.names(scalar)
      || [scalar.properties.uppercaseMapping, scalar.properties.lowercaseMapping].contains { mapping in
        guard let other = mapping.unicodeScalars.first, mapping.unicodeScalars.count == 1 else { return false }
        return set.names(other)
      }
    return isNamed != set.isInverted
  }

  /// Goes on from a place without taking anything, by all ways.
  private func enter(_ place: Int, _ places: inout Places) {
    var open = [place]
    while let place = open.popLast() {
      guard places.visit(place) else { continue }
      if case .split(let targets) = program[place] { open += targets } else { places.list.append(place) }
    }
  }

  private mutating func add(_ instruction: Instruction) -> Int {
    program.append(instruction)
    return program.count - 1
  }

  /// Writes a part before an instruction; where it begins.
  private mutating func add(_ node: RegularExpressionNode, before next: Int) throws(RegularExpressionFlaw) -> Int {
    if case .scalar(let set) = node { size += set.parts.count } else { size += 1 }
    guard size <= Self.sizeLimit else { throw RegularExpressionFlaw("it is too long with its repetitions") }
    switch node {
    case .scalar(let set): return add(.take(set, next: next))
    case .sequence(let parts):
      var place = next
      for part in parts.reversed() { place = try add(part, before: place) }
      return place
    case .choice(let parts):
      var targets: [Int] = []
      for part in parts { targets.append(try add(part, before: next)) }
      return add(.split(targets))
    case .repeated(let part, let least, let most):
      var place = next
      if let most {
        for _ in least..<max(least, most) {
          let inner = try add(part, before: place)
          // Each of those that may be missing leads past all of them.
          place = add(.split([inner, next]))
        }
      } else {
        place = add(.split([next]))
        program[place] = .split([try add(part, before: place), next])
      }
      for _ in 0..<least { place = try add(part, before: place) }
      return place
    }
  }

  /// A set of places in the program.
  private struct Places {
    /// Those at which something is taken, or the end is.
    var list: [Int] = []
    private(set) var visited: [Int] = []
    private var has: [Bool]

    init(count: Int) { has = Array(repeating: false, count: count) }

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
}

extension RegularExpression: Hashable {
  package static func == (one: RegularExpression, other: RegularExpression) -> Bool {
    one.expression == other.expression
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(expression) }
}
