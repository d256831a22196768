import ArgumentParser
import Foundation
import WaymarkClient
import WaymarkImage
import WaymarkProtocol
import WaymarkService

/// Tells an error on standard error and ends with its exit code.
func fail(_ error: any Error) throws -> Never {
  guard let explained = error as? any Explained else { throw error }
  FileHandle.standardError.write(Data("waymark: \(explained.message)\n".utf8))
  if !explained.hint.isEmpty { FileHandle.standardError.write(Data("  \(explained.hint)\n".utf8)) }
  throw ExitCode(explained.exitStatus.rawValue)
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
