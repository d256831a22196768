import ArgumentParser
import WaymarkClient
import WaymarkImage
import WaymarkOnboarding
import WaymarkProtocol
import WaymarkService

/// Tells an error on standard error and ends with its exit code.
func fail(_ error: any Error) throws -> Never {
  guard let explained = error as? any Explained else { throw error }
  Output.fail(explained.exitStatus, explained.message, hint: explained.hint)
}

extension ServiceProblem: Explained {
  var explainedCode: String { code }

  var exitStatus: ExitStatus {
    switch code {
    case "cannotOpen": .cannotOpen
    case "badPolicy": .badData
    default: .unavailable
    }
  }
}

extension OnboardingError: Explained {
  var explainedCode: String { code.rawValue }
  var exitStatus: ExitStatus { code == .cannotOpen ? .cannotOpen : .badData }
}

extension SourceError: Explained {
  var explainedCode: String { code }

  var exitStatus: ExitStatus {
    switch code {
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

extension ClientError: Explained {
  var explainedCode: String { code }
  var exitStatus: ExitStatus { code == "notPermitted" ? .notPermitted : .unavailable }
}

extension ServiceError: Explained {
  var explainedCode: String { code.rawValue }
  var exitStatus: ExitStatus { code == .notPermitted ? .notPermitted : .invalid }
}
