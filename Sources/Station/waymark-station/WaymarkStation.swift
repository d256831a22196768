import ArgumentParser
import WaymarkCommands
import WaymarkService
import WaymarkStation

/// The program `waymark` of the station: the base with documents, text, forms, signatures, accounts, counting, typing and
/// the kiosk page.
@main
struct Station: AsyncParsableCommand {
  static let configuration = WaymarkBase.waymark([
    CountCommand.self,
    DocumentsCommand.self,
    KioskCommand.self,
    SignatureCommand.self,
    TextCommand.self,
    TypeCommand.self,
    UsersCommand.self,
  ])

  /// The features; each is a folder of `WaymarkStation` and an entry here.
  static let features: [Feature] = [.documents, .text, .forms, .signatures, .accounts, .count, .typing]

  static func main() { Program(Self.self, features: features).run() }
}
