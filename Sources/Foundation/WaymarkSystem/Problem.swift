/// The stable words by which programs distinguish the problems of one module. The file also has the errors themselves: `Problem`,
/// the protocol `ExplainedError`, and `ServiceProblem`.
public protocol ProblemCode: RawRepresentable<String>, Hashable, Sendable {}

/// A `ProblemCode` with an open set of words, for codes that a newer service may add.
public protocol OpenProblemCode: ProblemCode, ExpressibleByStringLiteral, CustomStringConvertible {
  /// Creates a code from its word.
  init(rawValue: String)
}

extension OpenProblemCode {
  /// Creates a code from its word.
  public init(stringLiteral value: String) { self.init(rawValue: value) }

  /// The word of the code.
  public var description: String { rawValue }
}

/// A problem: the common form of all errors of the package.
///
/// Each module defines its own problem type by its codes, such as `ImageError`; message and hint have the same form everywhere.
public struct Problem<Kind: ProblemCode>: Error, Hashable, Sendable {
  /// The stable words of these problems.
  public typealias Code = Kind

  /// A stable camelCase word for programs.
  public var code: Code
  /// The fault, and the file or object concerned.
  public var message: String
  /// The remedy.
  public var hint: String
  /// The underlying cause, in the words of the system or of a library, or `nil`.
  public var cause: String?

  /// Creates a problem; `cause` is the underlying error, in the words of the system or of a library.
  public init(_ code: Code, _ message: String, hint: String, cause: String? = nil) {
    self.code = code
    self.message = message
    self.hint = hint
    self.cause = cause
  }

  /// Creates a problem, like `init(_:_:hint:cause:)`.
  public init(code: Code, message: String, hint: String, cause: String? = nil) {
    self.init(code, message, hint: hint, cause: cause)
  }
}

/// An error with a message about the fault and a hint about the remedy.
package protocol ExplainedError: Error {
  /// The fault, and the file or object concerned.
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

/// The error of a service that cannot start or cannot do what its configuration requires.
package typealias ServiceProblem = Problem<ServiceProblemCode>

/// The codes of `ServiceProblem`: stable camelCase words.
package struct ServiceProblemCode: OpenProblemCode {
  /// The word of the code.
  package let rawValue: String

  /// Creates a code from its word.
  package init(rawValue: String) { self.rawValue = rawValue }
}
