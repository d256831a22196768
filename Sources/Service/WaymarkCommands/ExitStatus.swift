package import WaymarkSystem

/// How every command ends. When several apply, the first in this list wins. The documentation's table is made of these comments.
package enum ExitStatus: Int32, CaseIterable, Comparable, Sendable {
  /// An unexpected error: a fault of the program (EX_SOFTWARE).
  case internalError = 70
  /// Wrong arguments (EX_USAGE).
  case usage = 64
  /// A permission is missing (EX_NOPERM).
  case notPermitted = 77
  /// A file or folder cannot be opened (EX_NOINPUT).
  case cannotOpen = 66
  /// The result cannot be written, for example to a full disk (EX_IOERR).
  case cannotWrite = 74
  /// A file is damaged or not of the expected format, or the configuration has problems (EX_DATAERR).
  case badData = 65
  /// The service, the camera or a needed package is missing (EX_UNAVAILABLE).
  case unavailable = 69
  /// The input was read but is not acceptable: a refused code, a scene with errors, a changed signature, an error reply.
  case invalid = 2
  /// Nothing was found.
  case nothingFound = 1
  /// Success.
  case success = 0

  private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }

  /// Returns whether `lhs` yields to `rhs`.
  package static func < (lhs: Self, rhs: Self) -> Bool { lhs.rank > rhs.rank }
}

/// An error that a command can end with: it explains itself and has an exit status.
package protocol CommandError: ExplainedError {
  /// How a command ends that fails with it.
  var exitStatus: ExitStatus { get }
}
