import ArgumentParser
import WaymarkAnchors

/// `waymark anchors`: libraries of preset pictures, and finding them in frames.
struct AnchorsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "anchors",
    abstract: "Builds libraries of preset pictures, judges them and finds them in frames.",
    usage: "waymark anchors build|add|remove|compare|list|quality|match|track …",
    subcommands: [
      AnchorsBuildCommand.self,
      AnchorsAddCommand.self,
      AnchorsRemoveCommand.self,
      AnchorsCompareCommand.self,
      AnchorsListCommand.self,
      AnchorsQualityCommand.self,
      AnchorsMatchCommand.self,
      AnchorsTrackCommand.self,
    ])
}

extension AnchorErrorCode: CommandErrorCode {
  package var exitStatus: ExitStatus {
    switch self {
    case .cannotOpen: .cannotOpen
    case .cannotWrite: .cannotWrite
    case .unknownName, .duplicateName: .invalid
    default: .badData
    }
  }
}
