import ArgumentParser
import WaymarkProtocol
import WaymarkSystem

/// `waymark protocol`: the socket's protocol for programs.
struct ProtocolCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "protocol",
    abstract: "Print the protocol of the socket as JSON Schema or AsyncAPI.",
    discussion: """
      The documents describe this version's requests, answers, events and errors. They are made from the description by which the service itself \
      reads and writes.

      Examples:
        waymark protocol --schema > waymark.schema.json
        waymark protocol --asyncapi > waymark.asyncapi.json
      """)

  @Flag(help: "JSON Schema 2020-12.")
  var schema = false

  @Flag(help: "AsyncAPI 3.0.")
  var asyncapi = false

  func validate() throws {
    guard schema != asyncapi else { throw ValidationError("Name one of --schema and --asyncapi.") }
  }

  func run() throws {
    let description = try ProtocolSchema()
    let document = schema ? description.jsonSchema : description.asyncAPI(serviceVersion: waymarkVersion)
    Output.line(document.indentedText)
  }
}
