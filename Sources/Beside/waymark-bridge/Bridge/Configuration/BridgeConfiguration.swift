import Glibc
package import WaymarkConfiguration
import WaymarkProtocol
package import WaymarkSpool
package import WaymarkSystem

/// The settings of a bridge, from its file `/etc/waymark/bridge.yaml`. The file also has the errors with which the bridge ends
/// (`BridgeError`).
package struct BridgeConfiguration: Configurable, Hashable {
  /// The broker and the credentials for it.
  package struct Broker: Hashable, Sendable {
    /// The broker's name or IP address.
    package var host = "localhost"
    /// The port; nil for 8883 with TLS, else 1883.
    package var port: Int?
    /// The version of MQTT: `5` or `3.1.1`.
    package var version = "5"
    /// MQTT keep-alive, in seconds. If the bridge has sent no other packet for this time, it sends a ping. The broker ends a
    /// connection that is silent for one and a half times as long.
    package var keepAlive = 30
    /// The client identifier of MQTT; nil for `waymark-DEVICE`.
    package var clientID: String?
    package var username: String?
    /// The file whose first line is the password.
    var passwordFile: String?
    /// The most events that are sent and not yet acknowledged.
    package var window = 100
    package var tls: TLS?

    /// The files in PEM format for TLS.
    package struct TLS: Configurable, Hashable {
      /// The file with the certificate authorities of the broker; nil for the system's authorities.
      package var caFile: String?
      /// The file with the certificate of this device; nil without a certificate.
      package var certificateFile: String?
      package var keyFile: String?

      package init() {}
    }

    /// The configured port, or the default.
    package var effectivePort: Int { port ?? (tls == nil ? 1883 : 8883) }
  }

  package var broker = Broker()
  /// The name of this device, the level of topics after `prefix`.
  package var device = "device"
  /// The first levels of all topics.
  package var prefix = "waymark"
  /// The path of the service's socket; nil for the default path.
  package var socket: String?
  /// The folder of the pending events.
  package var storeFolder = "/var/lib/waymark-bridge"
  /// The limits of the pending events in number and bytes.
  package var limits = EventLog.Limits()
  /// The selection of events that leave the device.
  package var selection = EventSelection()
  /// The methods that are accepted as commands.
  package var commands: Set<String> = []
  /// The topic below which Home Assistant looks for devices; nil to announce none.
  package var homeAssistantPrefix: String?
  /// The file with figures for Prometheus; nil to write none.
  package var metricsFile: String?
  /// Seconds between two messages of status while nothing changes.
  package var statusEvery = 60
  /// The positions of the keys that name files and folders.
  private var places = ConfigurationPlaces()

  package init() {}

  /// Creates the default configuration of a device.
  package init(device: String) { self.device = device }

  /// The files for the connection that must exist, with their keys; nil for a file that is not configured.
  var connectionFiles: [(key: String, path: String?)] {
    [
      ("broker.tls.caFile", broker.tls?.caFile), ("broker.tls.certificateFile", broker.tls?.certificateFile),
      ("broker.tls.keyFile", broker.tls?.keyFile),
    ]
  }

  /// The problems of the files and folders that the configuration names.
  private var fileProblems: [ConfigurationProblem] {
    var problems = connectionFiles.map { key, path in
      path.flatMap { path in places.problem(key) { _ = try WholeFile.read(path, limit: 1 << 20) } }
    }
    problems.append(places.problem("broker.passwordFile") { _ = try broker.password() })
    problems.append(places.folderProblem("store.folder", storeFolder))
    if let file = metricsFile {
      let folder = Folder.parent(of: file)
      // Unlike the folder of the store, this folder is not made.
      let missing = FileError(folder, cannotBe: "found", number: ENOENT)
      problems.append(
        FileKind(folder) == .folder
          ? places.folderProblem("metricsFile", folder) : places.problem("metricsFile") { throw missing })
    }
    return problems.compactMap(\.self)
  }

  /// Reads a configuration.
  ///
  /// - Parameters:
  ///   - file: the configuration's name in errors.
  ///   - hostName: the default of the device's name.
  ///   - checksFiles: whether the files and folders that it names are checked, without which the bridge does not start.
  /// - Throws: all problems, with the code `badConfiguration`, file and line: unknown keys and wrong values are errors.
  package init(yaml: String, file: String, hostName: String, checksFiles: Bool = false) throws(BridgeError) {
    let shortName = hostName.split(separator: ".").first.map(String.init) ?? hostName
    self.init()
    if BridgeTopics.isLevel(shortName) { device = shortName }
    let document = ConfigurationDocument(yaml, path: file, table: Self.table)
    var problems = document.problems
    read(document)
    broker.tls = document.checked.at("broker.tls").map { Broker.TLS($0, of: document, under: "broker.tls") }
    selection = EventSelection(rules: Self.rules(document, &problems))
    places = ConfigurationPlaces(document)
    func wrong(_ isWrong: Bool, _ message: String, _ key: String, hint: String) {
      if isWrong { problems.append(document.problem(message, key, document.checked.at(key), hint: hint)) }
    }
    wrong(
      (broker.tls?.certificateFile == nil) != (broker.tls?.keyFile == nil),
      "it names a certificate or a key, not both", "broker.tls", hint: "Give certificateFile and keyFile, or neither.")
    wrong(
      broker.passwordFile != nil && broker.username == nil, "it goes with broker.username", "broker.passwordFile",
      hint: "Name the user, too.")
    let topicHint = "Use letters, digits, - _ and . only."
    wrong(!BridgeTopics.isLevel(device), "it cannot be part of a topic", "device", hint: topicHint)
    for (key, levels) in [("prefix", prefix), ("homeAssistant.prefix", homeAssistantPrefix ?? prefix)] {
      wrong(
        BridgeTopics(prefix: levels, device: "device") == nil, "it cannot be part of a topic", key, hint: topicHint)
    }
    for word in commands.sorted() {
      wrong(
        CommandFilter.permissible[word] == nil, "\(word) cannot be allowed", "commands",
        hint: "There are \(CommandFilter.permissible.keys.sorted().joined(separator: ", ")).")
    }
    if checksFiles { problems += fileProblems }
    if let text = problems.inOrder.text { throw BridgeError(.badConfiguration, text.message, hint: text.hint) }
  }
}

extension BridgeConfiguration {
  /// The rules of `events`: a name, a family or `*`, each with `off`, `default`, `all`, or a list of fields.
  fileprivate static func rules(
    _ document: ConfigurationDocument, _ problems: inout [ConfigurationProblem]
  ) -> [String: EventSelection.Fields] {
    var rules: [String: EventSelection.Fields] = [:]
    for entry in document.checked["events"]?.entries ?? [] {
      if let fault = EventPatterns.fault(of: entry.key, own: MessageFormat.ownEvents) {
        problems.append(document.problem(fault.message, "events.\(entry.key)", entry.node, hint: fault.hint))
        continue
      }
      switch entry.node.string {
      case "off", "false": rules[entry.key] = .off
      case "default": rules[entry.key] = .standard
      case "all": rules[entry.key] = .all
      case let word?:
        problems.append(
          document.problem(
            "one of off, default, all is expected, not \"\(word)\"", "events.\(entry.key)", entry.node,
            hint: "Or give a list of fields: [default, text]."))
      case nil:
        let fields = entry.node.strings
        let known = fieldNames(of: entry.key)
        for field in fields where !known.contains(String(field.prefix { $0 != "." })) {
          let hint = NearestWord.hint(field, among: known)
          problems.append(
            document.problem(
              "there is no field \"\(field)\"", "events.\(entry.key)", entry.node,
              hint: hint ?? "There are \(known.sorted().joined(separator: ", "))."))
        }
        rules[entry.key] = .named(fields.filter { $0 != "default" }, withStandard: fields.contains("default"))
      }
    }
    return rules
  }
}

extension BridgeConfiguration {
  private static let schema = try? ProtocolSchema()

  /// Returns the names that a list of fields can have for the events of a pattern.
  private static func fieldNames(of pattern: String) -> Set<String> {
    guard let schema else { return [] }
    var patterns = EventPatterns()
    patterns.add([pattern])
    let events = schema.events.map(\.name).filter(patterns.match)
    return Set(events.flatMap { schema.members(of: "event.\($0)").map(\.name) } + ["default"])
  }
}

extension BridgeConfiguration.Broker {
  /// The first line of the file with the password; nil without a file.
  ///
  /// - Throws: `cannotOpen` if the file cannot be read, or if other users may read it.
  package func password() throws(BridgeError) -> String? {
    guard let passwordFile else { return nil }
    do {
      return try SecretLine.read(passwordFile)
    } catch {
      throw BridgeError(.cannotOpen, error.message, hint: error.hint)
    }
  }
}

extension BridgeConfiguration {
  /// The keys of `bridge.yaml`.
  package static let table = ConfigurationTable(connection.map(\.key) + Broker.TLS.keys + publishing.map(\.key))

  package static let settings = connection + publishing

  private static let name = ConfigurationKind.text(1024)

  private static let connection: [Setting<Self>] = [
    Setting("broker.host", name, "the broker's name or address", into: \.broker.host),
    Setting(
      "broker.port", .int(1...65_535), "its port", into: \.broker.port,
      otherwise: "8883 with `broker.tls`, else 1883"),
    Setting("broker.version", .choice(["5", "3.1.1"]), "the version of MQTT", into: \.broker.version),
    Setting(
      "broker.keepAlive", .int(5...3600), "seconds of silence after which a ping is sent",
      into: \.broker.keepAlive),
    Setting(
      "broker.clientID", name, "the client's name at the broker", into: \.broker.clientID,
      otherwise: "`waymark-DEVICE`"),
    Setting("broker.username", name, "the user", into: \.broker.username),
    Setting(
      "broker.passwordFile", .path,
      "file whose first line is the password, not readable for all users, or a [credential](operations.md#secrets)",
      into: \.broker.passwordFile, from: { Credential.path($0) }),
    Setting(
      "broker.window", .int(1...1000), "events that are sent and not yet acknowledged, at most", into: \.broker.window),
    Setting(
      "broker.tls", .section,
      "encryption, TLS 1.2 at least; the broker's certificate must match its name",
      otherwise: "none"),
  ]

  private static let publishing: [Setting<Self>] = [
    Setting(
      "device", name, "the device's name in topics, `PREFIX/DEVICE/…`", into: \.device,
      otherwise: "the name of the host"),
    Setting("prefix", name, "the first level of all topics", into: \.prefix),
    Setting(
      "socket", .path, "the service's socket", into: \.socket, otherwise: "that of `waymark socket-path`"),
    Setting("store.folder", .path, "folder of the pending events", into: \.storeFolder),
    Setting(
      "store.events", .int(1000...10_000_000), "events that are kept at least, as long as they fit",
      into: \.limits.events),
    Setting(
      "store.megabytes", .int(1...1 << 20), "what they take at most", into: \.limits.bytes,
      from: { (count: Int) in count << 20 },
      to: { $0 >> 20 }),
    Setting(
      "events", .named, "events and fields that [leave the device](#what-leaves-the-device)"),
    Setting(
      "events.NAME", .words, "`off`, `default`, `all`, or a list of fields; by name, family such as `scan.*`, or `*`"),
    Setting(
      "commands", .texts(256), "accepted [commands](#commands)", into: \.commands, otherwise: "none",
      remedy: "Leave the key out to allow none.", from: { (names: [String]) in Set(names) }),
    Setting(
      "homeAssistant.prefix", name,
      "announces this device to [Home Assistant](#home-assistant) below this topic; its own default is `homeassistant`",
      into: \.homeAssistantPrefix, otherwise: "not announced"),
    Setting(
      "metricsFile", .path, "file with figures for Prometheus, written every 15 seconds", into: \.metricsFile,
      otherwise: "nowhere"),
    Setting(
      "statusEvery", .int(5...86_400), "seconds between two reports of status while nothing changes",
      into: \.statusEvery),
  ]
}

extension BridgeConfiguration.Broker.TLS {
  package static let settings: [Setting<Self>] = [
    Setting(
      "broker.tls.caFile", .path, "certificate authorities of the broker, PEM", into: \.caFile,
      otherwise: "those of the system"),
    Setting(
      "broker.tls.certificateFile", .path, "certificate of this device, PEM; needs `keyFile`",
      into: \.certificateFile),
    Setting(
      "broker.tls.keyFile", .path, "its key, PEM, or a [credential](operations.md#secrets)", into: \.keyFile,
      from: { Credential.path($0) }),
  ]
}

/// An error with which the bridge ends.
package typealias BridgeError = Problem<BridgeErrorCode>

/// The codes of `BridgeError`; the exit status is 65 for `badConfiguration`, otherwise 66.
package enum BridgeErrorCode: String, ProblemCode {
  /// The configuration file has an unknown key or a wrong value.
  case badConfiguration
  /// The store cannot be opened, or belongs to another bridge that runs.
  case store
  /// A file that the configuration names cannot be read, or may be read by others.
  case cannotOpen
}
