/// The stable words by which programs tell the problems of one module apart.
public protocol ProblemCode: RawRepresentable<String>, Hashable, Sendable {}

/// A `ProblemCode` whose words are not listed in one place, such as those that a newer service may bring.
public protocol OpenProblemCode: ProblemCode, ExpressibleByStringLiteral, CustomStringConvertible {
  /// The code of a word.
  init(rawValue: String)
}

extension OpenProblemCode {
  /// The code of a word.
  public init(stringLiteral value: String) { self.init(rawValue: value) }

  /// The word.
  public var description: String { rawValue }
}

/// A problem: the one shape of every error of the package.
///
/// Each module names its own, such as `ImageError`, by giving it codes; what a person reads is the same everywhere.
public struct Problem<Kind: ProblemCode>: Error, Hashable, Sendable {
  /// The stable words of these problems.
  public typealias Code = Kind

  /// A stable camelCase word for programs.
  public var code: Code
  /// The fault, and the thing it happened to.
  public var message: String
  /// The remedy.
  public var hint: String
  /// The underlying cause, in the words of the system or of a library; `nil` where the message says it all.
  public var cause: String?

  /// A problem from its parts.
  public init(_ code: Code, _ message: String, hint: String, cause: String? = nil) {
    self.code = code
    self.message = message
    self.hint = hint
    self.cause = cause
  }

  /// A problem from its parts.
  public init(code: Code, message: String, hint: String, cause: String? = nil) {
    self.init(code, message, hint: hint, cause: cause)
  }
}

/// An error that says what happened and what to do about it.
package protocol ExplainedError: Error {
  /// The fault, and the thing it happened to.
  var message: String { get }
  /// The remedy.
  var hint: String { get }
}

extension Problem: ExplainedError {}

extension Problem: CustomStringConvertible {
  /// The message and the hint.
  public var description: String {
    let sentence = message.hasSuffix(".") ? message : message + "."
    return hint.isEmpty ? sentence : "\(sentence) \(hint)"
  }
}
