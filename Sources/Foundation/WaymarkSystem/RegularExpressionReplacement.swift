/// Replaces the matches of a regular expression in a text.
///
/// The syntax is that of `RegularExpression`, with captured groups, and with `^`, `$`, `\b` and `\B` anywhere. Of several matches
/// at one position, the first alternative and the greediest repetition are preferred, as in Perl. All threads are advanced
/// simultaneously, so that the time for each match is bounded by the product of the lengths of text and expression (R. Pike's
/// machine; R. Cox, "Regular Expression Matching: the Virtual Machine Approach", 2009).
package struct RegularExpressionReplacement: Sendable {
  private enum Part {
    case text(String)
    case group(Int)
  }

  /// The expression as it was written.
  package let expression: String
  private let program: RegularExpressionProgram
  private var template: [Part] = []

  /// Compiles an expression and a template.
  ///
  /// - Parameter template: the replacement. `$0` is the match and `$1` its first group; a group that the expression lacks is empty.
  ///   A character after a backslash is taken literally.
  /// - Throws: `RegularExpressionFlaw` if the expression is malformed, too large or has a construct outside this
  ///   syntax.
  package init(_ expression: String, template: String) throws(RegularExpressionFlaw) {
    program = try RegularExpressionProgram(expression, isSearch: true)
    self.expression = expression
    var rest = Substring(template)
    while let character = rest.popFirst() {
      if character == "$", var number = rest.first.flatMap(Self.digit) {
        rest.removeFirst()
        // A second digit belongs to the number if the expression has such a group.
        while let digit = rest.first.flatMap(Self.digit), 10 * number + digit <= program.groups {
          number = 10 * number + digit
          rest.removeFirst()
        }
        self.template.append(.group(number))
      } else {
        self.template.append(.text(String(character == "\\" ? rest.popFirst() ?? "\\" : character)))
      }
    }
  }

  private static func digit(_ character: Character) -> Int? {
    character.isASCII ? character.wholeNumberValue : nil
  }

  /// Replaces every match.
  ///
  /// - Parameters:
  ///   - limit: the largest number of bytes of the result.
  ///   - steps: the remaining steps.
  /// - Returns: nil if no steps remain or the result is too long.
  package func replacing(in text: String, limit: Int, steps: inout Int) -> String? {
    let scalars = Array(text.unicodeScalars)
    var result = ""
    // `end` is the end of the last match, `position` where the next search begins.
    var (end, position) = (0, 0)
    while position <= scalars.count, let match = firstMatch(in: scalars, from: position, steps: &steps) {
      result.unicodeScalars.append(contentsOf: scalars[end..<match[0]])
      for part in template {
        switch part {
        case .text(let text): result += text
        case .group(let number):
          guard number <= program.groups, match[2 * number] >= 0, match[2 * number + 1] >= 0 else { continue }
          result.unicodeScalars.append(contentsOf: scalars[match[2 * number]..<match[2 * number + 1]])
        }
      }
      guard result.utf8.count <= limit else { return nil }
      end = match[1]
      position = match[1] > match[0] ? match[1] : match[1] + 1
    }
    guard steps > 0 else { return nil }
    result.unicodeScalars.append(contentsOf: scalars[end...])
    return result.utf8.count <= limit ? result : nil
  }

  /// Returns the bounds of the first match and of its groups, -1 for groups without a match; `nil` without a match.
  private func firstMatch(in scalars: [Unicode.Scalar], from start: Int, steps: inout Int) -> [Int]? {
    var current = RegularExpressionFrontier<Thread>(count: program.instructions.count)
    var next = current
    var found: [Int]?
    for position in start...scalars.count {
      if found == nil {
        var slots = Array(repeating: -1, count: 2 * program.groups + 2)
        slots[0] = position
        enter(Thread(place: program.start, slots: slots), at: position, in: scalars, &current, &steps)
      } else if current.list.isEmpty {
        break
      }
      next.clear()
      search: for thread in current.list {
        steps -= 1
        guard steps > 0 else { return nil }
        switch program.instructions[thread.place] {
        case .take(let set, let target):
          guard position < scalars.count, program.takes(set, scalars[position]) else { continue }
          enter(Thread(place: target, slots: thread.slots), at: position + 1, in: scalars, &next, &steps)
        default:
          // Accepted: the following threads are less preferred.
          found = thread.slots
          found?[1] = position
          break search
        }
      }
      swap(&current, &next)
    }
    return found
  }

  /// Adds the instructions that are reached without consuming a character, the preferred first.
  private func enter(
    _ thread: Thread, at position: Int, in scalars: [Unicode.Scalar],
    _ threads: inout RegularExpressionFrontier<Thread>, _ steps: inout Int
  ) {
    var open = [thread]
    while var thread = open.popLast() {
      guard threads.visit(thread.place) else { continue }
      steps -= 1
      switch program.instructions[thread.place] {
      case .take, .accept: threads.list.append(thread)
      case .split(let targets): open += targets.reversed().map { Thread(place: $0, slots: thread.slots) }
      case .save(let slot, let next):
        thread.slots[slot] = position
        open.append(Thread(place: next, slots: thread.slots))
      case .assert(let assertion, let next):
        guard Self.holds(assertion, at: position, in: scalars) else { continue }
        open.append(Thread(place: next, slots: thread.slots))
      }
    }
  }

  private static func holds(
    _ assertion: RegularExpressionAssertion, at position: Int, in scalars: [Unicode.Scalar]
  ) -> Bool {
    func isWord(_ index: Int) -> Bool {
      scalars.indices.contains(index) && ScalarClass.Part.word.contains(scalars[index])
    }
    return switch assertion {
    case .start: position == 0
    case .end: position == scalars.count
    case .wordBoundary: isWord(position - 1) != isWord(position)
    case .noWordBoundary: isWord(position - 1) == isWord(position)
    }
  }

  private struct Thread {
    var place: Int
    /// The bounds of the match and its groups.
    var slots: [Int]
  }
}
