import ArgumentParser
import Foundation
import WaymarkClient
import WaymarkCommands
import WaymarkProtocol
import WaymarkSystem

/// `waymark users`: the commands for the users of the device. Its subcommands `list`, `remove`, `export-consents` and
/// `unlock` are in this file.
struct UsersCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "users", abstract: "List and remove the users of this device, export their consents, unlock them.",
    discussion: "Asks the running service; needs the role operator.",
    subcommands: [
      UsersListCommand.self, UsersRemoveCommand.self, UsersExportConsentsCommand.self, UsersUnlockCommand.self,
    ])
}

/// `waymark users list`: prints the users of the device, as text or as JSON.
struct UsersListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the users of this device, those whose onboarding is not over included.",
    discussion: """
      Example:
        waymark users list --json
      """)

  @OptionGroup var place: SocketOptions

  @Flag(help: "Print one JSON object a user.")
  var json = false

  func run() async throws {
    let users = try await place.ask(AccountListRequest()).users
    for user in users {
      if json { Output.json(try Output.text(user)) } else { Output.line(Self.text(of: user)) }
    }
    if users.isEmpty, !json { Output.diagnostic("No users.") }
  }

  static func text(of user: AccountSummary) -> String {
    func shown(_ text: String) -> String { DisplayText.escaped(text, limit: 100) }
    var notes: [String] = []
    if !user.ready { notes.append("onboarding not over") }
    if user.failures > 0 { notes.append("\(user.failures) wrong passcodes") }
    if user.wait > 0 { notes.append("waits \(Int(user.wait.rounded(.up))) s") }
    notes.append("\(user.consents) choices")
    let name = user.title.isEmpty ? "(no name)" : shown(user.title)
    return "\(user.id)  \(name)\(user.subject.map { " <\(shown($0))>" } ?? "")  \(notes.joined(separator: ", "))"
  }
}

/// `waymark users remove`: removes a user with all stored data.
struct UsersRemoveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove a user and all stored data: name, passcode, consents.",
    discussion: """
      Example:
        waymark users remove 5f2c
      """)

  @OptionGroup var place: SocketOptions

  @Argument(help: "The user's id, as `waymark users list` prints it.")
  var id: String

  func run() async throws {
    _ = try await place.ask(AccountRemoveRequest(user: id))
    Output.diagnostic("Removed.")
  }
}

/// `waymark users export-consents`: writes the users' choices about consents as lines of JSON.
struct UsersExportConsentsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export-consents",
    abstract: "Print the users' choices about consents, one JSON object a choice.",
    discussion: """
      docs/accounts.md describes the hash.
      Example:
        waymark users export-consents -o consents.jsonl
      """)

  @OptionGroup var place: SocketOptions

  @Argument(help: "The user's id; everybody when left out.")
  var id: String?

  @Option(name: .letter(.output), help: "The file to write (else standard output).")
  var output: String?

  /// A line of the output: a choice about a consent with its user.
  private struct Line: Encodable {
    let user: String
    let subject: String?
    let title: String
    let record: ConsentEntry

    private enum Key: CodingKey { case user, subject, title }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Key.self)
      try container.encode(user, forKey: .user)
      try container.encodeIfPresent(subject, forKey: .subject)
      try container.encode(title, forKey: .title)
      try record.encode(to: encoder)
    }
  }

  func run() async throws {
    let users = try await place.ask(ConsentExportRequest(user: id)).users
    let lines = try users.flatMap { user in
      try user.records.map { record in
        try Output.text(Line(user: user.user, subject: user.subject, title: user.title, record: record))
      }
    }
    if let output {
      Output.file(output, Array((lines.joined(separator: "\n") + (lines.isEmpty ? "" : "\n")).utf8))
    } else {
      for line in lines { Output.json(line) }
    }
  }
}

/// `waymark users unlock`: ends the wait of one or all users after wrong passcodes.
struct UsersUnlockCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unlock", abstract: "Let a user try again at once after wrong passcodes.",
    discussion: """
      Example:
        waymark users unlock 5f2c
      """)

  @OptionGroup var place: SocketOptions

  @Argument(help: "The user's id; everybody when left out.")
  var id: String?

  func run() async throws {
    _ = try await place.ask(AccountUnlockRequest(user: id))
  }
}

extension SocketOptions {
  /// Sends a request to the service; ends the command if it fails.
  fileprivate func ask<Request: ServiceRequest>(_ request: Request) async throws -> Request.Result {
    do {
      return try await WaymarkClient.connect(to: path).send(request)
    } catch {
      try fail(error)
    }
  }
}
