import Foundation
import WaymarkSystem

/// A regular expression and what takes the place of every match of it, `$1` being its first group.
///
/// The expressions are ICU's (Foundation's `NSRegularExpression`), which can be told to give up: a pattern that somebody wrote
/// for codes of ten digits may meet a stranger's code of seven thousand, on which it would run for hours.
package struct Substitution: Sendable {
  private let expression: NSRegularExpression
  private let template: String
  /// Seconds that it may take on one code.
  private static let timeLimit = 0.25

  /// - Throws: `badSubstitution`.
  package init(match pattern: String, replace template: String) throws(TypingError) {
    do {
      expression = try NSRegularExpression(pattern: pattern)
    } catch {
      throw TypingError(
        .badSubstitution, "\"\(pattern)\" is not a valid regular expression.",
        hint: "Write it as ICU does, in single quotes, so that YAML leaves its backslashes alone.")
    }
    self.template = template
  }

  /// The text with every match replaced.
  ///
  /// - Parameter now: a clock, in seconds.
  /// - Throws: `substitutionTooSlow`, `tooLong`.
  func apply(to text: String, now: @escaping () -> Double = { MonotonicClock.now }) throws(TypingError) -> String {
    let deadline = now() + Self.timeLimit
    let source = text as NSString
    var result = ""
    var end = 0
    var isLate = false
    expression.enumerateMatches(
      in: text, options: .reportProgress, range: NSRange(location: 0, length: source.length)
    ) { match, _, stop in
      if now() > deadline {
        isLate = true
        stop.pointee = true
      } else if let match {
        result += source.substring(with: NSRange(location: end, length: match.range.location - end))
        result += expression.replacementString(for: match, in: text, offset: 0, template: template)
        end = match.range.location + match.range.length
        if result.utf8.count > TypingError.longest { stop.pointee = true }
      }
    }
    guard !isLate else {
      throw TypingError(
        .substitutionTooSlow, "The substitution \"\(expression.pattern)\" takes too long on this code.",
        hint: "Write it without nested repetitions such as (a+)+.")
    }
    guard result.utf8.count <= TypingError.longest else { throw .tooLong }
    return result + source.substring(from: end)
  }
}
