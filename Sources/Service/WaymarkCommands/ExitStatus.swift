package import WaymarkClient
package import WaymarkConfiguration
package import WaymarkImage
package import WaymarkOnboarding
package import WaymarkProtocol
package import WaymarkSystem

/// The exit status of a command. If several apply, the first in this list is used. The table in the documentation is generated
/// from these comments.
package enum ExitStatus: Int32, CaseIterable, Comparable, Sendable {
  /// A fault of the program (EX_SOFTWARE).
  case internalError = 70
  /// Wrong arguments (EX_USAGE).
  case usage = 64
  /// A permission is missing (EX_NOPERM).
  case notPermitted = 77
  /// A file or folder cannot be opened (EX_NOINPUT).
  case cannotOpen = 66
  /// The result cannot be written (EX_IOERR).
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

  /// Returns whether `rhs` takes precedence over `lhs`.
  package static func < (lhs: Self, rhs: Self) -> Bool { lhs.rank > rhs.rank }
}

/// An error with which a command can end: it has a message, a hint and an exit status.
package protocol CommandError: ExplainedError {
  /// The exit status of a command that fails with this error.
  var exitStatus: ExitStatus { get }
}

/// Codes of errors that determine the exit status of a command.
package protocol CommandErrorCode: ProblemCode {
  var exitStatus: ExitStatus { get }
}

// MARK: - The exit statuses of errors

extension Problem: CommandError where Kind: CommandErrorCode {
  package var exitStatus: ExitStatus { code.exitStatus }
}

extension FileErrorCode: CommandErrorCode {
  package var exitStatus: ExitStatus {
    switch self {
    case .notPermitted: .notPermitted
    case .noSpace: .cannotWrite
    default: .cannotOpen
    }
  }
}

extension ServiceProblemCode: CommandErrorCode {
  package var exitStatus: ExitStatus {
    switch self {
    case "cannotOpen": .cannotOpen
    case "badSource", "noPictures", "unknownStream", "damagedStream": .badData
    case "cameraNotPermitted": .notPermitted
    default: .unavailable
    }
  }
}

extension OnboardingErrorCode: CommandErrorCode {
  package var exitStatus: ExitStatus {
    switch self {
    case .cannotOpen: .cannotOpen
    case .replayStore: .unavailable
    case .badKey, .badPolicy, .badPayload: .badData
    }
  }
}

extension ModelErrorCode: CommandErrorCode {
  package var exitStatus: ExitStatus { .unavailable }
}

extension ConfigurationProblem: CommandError {
  package var exitStatus: ExitStatus { .badData }
}

extension ClientErrorCode: CommandErrorCode {
  package var exitStatus: ExitStatus { self == "notPermitted" ? .notPermitted : .unavailable }
}

extension ServiceError: CommandError {
  package var exitStatus: ExitStatus { code == .notPermitted ? .notPermitted : .invalid }
}
