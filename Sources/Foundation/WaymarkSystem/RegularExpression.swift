/// A regular expression that matches whole texts.
///
/// Codes and labels are untrusted, so no text may keep the service busy: all paths through the expression are followed simultaneously,
/// without backtracking, and the time is bounded by the product of the lengths of text and expression (K. Thompson, "Regular
/// expression search algorithm", CACM 11, 1968).
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
  /// - Parameter steps: the remaining number of steps, which is reduced; at 0 nothing matches.
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

  /// Returns the progress after more text, so that a search over many readings of a text continues only those that may still match.
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
