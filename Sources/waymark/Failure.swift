import ArgumentParser
import WaymarkClient
import WaymarkConfiguration
import WaymarkDocuments
import WaymarkFrames
import WaymarkImage
import WaymarkNetworks
import WaymarkOnboarding
import WaymarkProtocol
import WaymarkServer
import WaymarkService
import WaymarkSystem

/// Tells an error on standard error and ends with its exit code.
func fail(_ error: any Error) throws -> Never {
  guard let explained = error as? any CommandError else { throw error }
  Output.fail(explained.exitStatus, explained.message, hint: explained.hint)
}

/// Codes that know how a command ends that fails with them.
protocol CommandErrorCode: ProblemCode {
  var exitStatus: ExitStatus { get }
}

extension Problem: CommandError where Kind: CommandErrorCode {
  var exitStatus: ExitStatus { code.exitStatus }
}

extension FileErrorCode: CommandErrorCode {
  var exitStatus: ExitStatus {
    switch self {
    case .notPermitted: .notPermitted
    case .noSpace: .cannotWrite
    default: .cannotOpen
    }
  }
}

extension ServiceProblemCode: CommandErrorCode {
  var exitStatus: ExitStatus {
    switch self {
    case "cannotOpen": .cannotOpen
    case "badSource": .badData
    default: .unavailable
    }
  }
}

extension OnboardingErrorCode: CommandErrorCode {
  var exitStatus: ExitStatus {
    switch self {
    case .cannotOpen: .cannotOpen
    case .replayStore: .unavailable
    case .badKey, .badPolicy, .badPayload: .badData
    }
  }
}

extension SourceErrorCode: CommandErrorCode {
  var exitStatus: ExitStatus {
    switch self {
    case "cannotOpen": .cannotOpen
    case "noPictures", "unknownStream", "damagedStream": .badData
    case "cameraNotPermitted": .notPermitted
    default: .unavailable
    }
  }
}

extension ModelErrorCode: CommandErrorCode {
  var exitStatus: ExitStatus { .unavailable }
}

/// The models by which pages are found; ends the command where they cannot be used.
func pageModels() throws -> PageModels {
  do {
    return try PageModels.load()
  } catch {
    try fail(error)
  }
}

extension ConfigurationProblem: CommandError {
  var exitStatus: ExitStatus { .badData }
}

extension ClientErrorCode: CommandErrorCode {
  var exitStatus: ExitStatus { self == "notPermitted" ? .notPermitted : .unavailable }
}

extension ServiceError: CommandError {
  var exitStatus: ExitStatus { code == .notPermitted ? .notPermitted : .invalid }
}
