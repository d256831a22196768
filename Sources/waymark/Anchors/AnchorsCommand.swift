import ArgumentParser
import WaymarkAnchors

/// `waymark anchors`: libraries of preset pictures, and finding them in frames.
struct AnchorsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "anchors",
    abstract: "Builds libraries of preset pictures, judges them and finds them in frames.",
    usage: "waymark anchors build|add|remove|list|quality|match|track …",
    subcommands: [
      AnchorsBuildCommand.self,
      AnchorsAddCommand.self,
      AnchorsRemoveCommand.self,
      AnchorsListCommand.self,
      AnchorsQualityCommand.self,
      AnchorsMatchCommand.self,
      AnchorsTrackCommand.self,
    ])
}

extension AnchorError: Explained {
  var explainedCode: String { code.rawValue }

  var exitStatus: ExitStatus {
    switch code {
    case .cannotOpen: .cannotOpen
    case .cannotWrite: .cannotOpen
    case .unknownName, .duplicateName: .invalid
    default: .badData
    }
  }
}
