import ArgumentParser
import FoundationEssentials
import WaymarkClient
import WaymarkImage
import WaymarkProtocol
import WaymarkSystem

/// `waymark send` and, below, `waymark protocol`: send one request to the service, and print the schema of the
/// protocol.
struct SendCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "send",
    abstract: "Send one request to the service and print the answer.",
    discussion: """
      Examples:
        waymark send status
        waymark send scan.begin '{"mode":"onboarding","timeout":30}' --hold
        waymark send media.snapshot -o frame.jpg
        waymark send scan.picture '{"mode":"onboarding"}' --file poster.jpg

      A scan belongs to the connection that began it: with --hold the connection stays, and its events are printed, \
      until it is interrupted.
      """)

  @OptionGroup var place: SocketOptions

  @Argument(help: "The method: docs/protocol.md lists them.")
  var method: String

  @Argument(help: "The parameters as a JSON object.")
  var parameters: String?

  @Option(name: .letter(.output), help: "The file for the picture of a media method; - is standard output.")
  var output: String?

  @Option(name: .letter(.file), help: "The picture that scan.picture sends.", completion: .file())
  var file: String?

  @Flag(help: "Keep the connection, and print the events that come.")
  var hold = false

  func validate() throws {
    if method == ScanPictureRequest.method, file == nil {
      throw ValidationError("\(method) needs a picture: --file PICTURE.")
    }
    guard file == nil || method == ScanPictureRequest.method else {
      throw ValidationError("--file is for \(ScanPictureRequest.method).")
    }
    if method == ScanBeginRequest.method, !hold {
      throw ValidationError(
        "A scan ends with the connection that began it: add --hold to keep the connection.")
    }
    if method.hasPrefix("media."), output == nil {
      throw ValidationError("Name a file for the picture: -o FILE, or -o - for standard output.")
    }
    guard output == nil || method.hasPrefix("media.") else {
      throw ValidationError("-o needs a method that returns a picture, such as media.snapshot or media.gallery.")
    }
  }

  func run() async throws {
    var params = try parse()
    let picture = try file.map { path throws(ImageError) in try PictureFile.read(path, limit: 16 << 20) }
    if let picture, case .object(var members) = params {
      members.removeAll { $0.name == "size" }
      members.append(.init("size", .int(picture.count)))
      params = .object(members)
    }
    let client = try await WaymarkClient.connect(to: place.path)
    if method.hasPrefix("media.") {
      try await receivePicture(client, params)
      return
    }
    if hold { _ = try await client.send(SubscribeRequest()) }
    let answer = try await client.send(method: method, params: params, body: picture ?? [])
    Output.json(try Output.text(answer))
    guard hold else { return }
    for try await received in client.events { Output.json(received.line) }
  }

  private func parse() throws -> JSONValue {
    guard let parameters else { return .object([:]) }
    do {
      let value = try JSONParser.parse(parameters)
      guard case .object = value else { throw ValidationError("The parameters must be a JSON object.") }
      return value
    } catch let error as JSONSyntaxError {
      throw ValidationError("The parameters are not JSON: \(error.problem) (byte \(error.offset)).")
    }
  }

  private func receivePicture(_ client: WaymarkClient, _ params: JSONValue) async throws {
    guard let output else { return }
    let pictures = try client.pictures(method: method, params: params)
    for try await picture in pictures {
      if output == "-" {
        Output.data(Data(picture.bytes))
      } else {
        Output.file(output, Array(picture.bytes))
        Output.json(try Output.text(picture.header))
      }
      return
    }
  }
}

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
