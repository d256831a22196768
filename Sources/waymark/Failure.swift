import ArgumentParser
import WaymarkClient
import WaymarkImage
import WaymarkOnboarding
import WaymarkProtocol
import WaymarkService
import WaymarkSystem

/// Tells an error on standard error and ends with its exit code.
func fail(_ error: any Error) throws -> Never {
  guard let explained = error as? any Explained else { throw error }
  Output.fail(explained.exitStatus, explained.message, hint: explained.hint)
}

/// Error codes with the exit status of a command that fails with them.
protocol ExplainedCode: ProblemCode {
  var exitStatus: ExitStatus { get }
}

extension Problem: Explained where Kind: ExplainedCode {
  var explainedCode: String { code.rawValue }
  var exitStatus: ExitStatus { code.exitStatus }
}

extension FileErrorCode: ExplainedCode {
  var exitStatus: ExitStatus {
    switch self {
    case .notPermitted: .notPermitted
    case .noSpace: .cannotWrite
    default: .cannotOpen
    }
  }
}

extension ServiceProblemCode: ExplainedCode {
  var exitStatus: ExitStatus {
    switch self {
    case "cannotOpen": .cannotOpen
    case "badSource": .badData
    default: .unavailable
    }
  }
}

extension OnboardingErrorCode: ExplainedCode {
  var exitStatus: ExitStatus {
    switch self {
    case .cannotOpen: .cannotOpen
    case .replayStore: .unavailable
    case .badKey, .badPolicy, .badPayload: .badData
    }
  }
}

extension SourceErrorCode: ExplainedCode {
  var exitStatus: ExitStatus {
    switch self {
    case "cannotOpen": .cannotOpen
    case "noPictures", "unknownStream", "damagedStream": .badData
    case "cameraNotPermitted": .notPermitted
    default: .unavailable
    }
  }
}

extension ConfigurationProblem: Explained {
  var explainedCode: String { "badConfiguration" }
  var exitStatus: ExitStatus { .badData }
}

extension ClientErrorCode: ExplainedCode {
  var exitStatus: ExitStatus { self == "notPermitted" ? .notPermitted : .unavailable }
}

extension ServiceError: Explained {
  var explainedCode: String { code.rawValue }
  var exitStatus: ExitStatus { code == .notPermitted ? .notPermitted : .invalid }
}
