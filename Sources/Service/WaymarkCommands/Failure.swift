package import WaymarkClient
package import WaymarkConfiguration
package import WaymarkFrames
package import WaymarkImage
package import WaymarkOnboarding
package import WaymarkProtocol
package import WaymarkServer
package import WaymarkSystem

/// Tells an error on standard error and ends with its exit code.
package func fail(_ error: any Error) throws -> Never {
  guard let explained = error as? any CommandError else { throw error }
  Output.fail(explained.exitStatus, explained.message, hint: explained.hint)
}

/// Codes that know how a command ends that fails with them.
package protocol CommandErrorCode: ProblemCode {
  var exitStatus: ExitStatus { get }
}

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
    case "badSource": .badData
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

extension SourceErrorCode: CommandErrorCode {
  package var exitStatus: ExitStatus {
    switch self {
    case "cannotOpen": .cannotOpen
    case "noPictures", "unknownStream", "damagedStream": .badData
    case "cameraNotPermitted": .notPermitted
    default: .unavailable
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
