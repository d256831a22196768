/// How every command ends. When several apply, the one that stands first here wins.
enum ExitStatus: Int32, CaseIterable, Comparable, Sendable {
  /// An error that nothing explains: a fault of the program (EX_SOFTWARE).
  case internalError = 70
  /// Wrong arguments (EX_USAGE).
  case usage = 64
  /// A permission is missing (EX_NOPERM).
  case notPermitted = 77
  /// A file cannot be opened (EX_NOINPUT).
  case cannotOpen = 66
  /// The result cannot be written (EX_IOERR).
  case cannotWrite = 74
  /// Not a picture, or a damaged file (EX_DATAERR).
  case badData = 65
  /// No service or no camera (EX_UNAVAILABLE).
  case unavailable = 69
  /// Decoded but not acceptable, or an error reply.
  case invalid = 2
  /// Nothing found.
  case nothingFound = 1
  /// All well.
  case success = 0

  private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }

  /// Returns whether `lhs` yields to `rhs`.
  static func < (lhs: Self, rhs: Self) -> Bool { lhs.rank > rhs.rank }
}
