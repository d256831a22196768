import WaymarkConfiguration
package import WaymarkSpool
import WaymarkSystem

/// The settings of a bridge, from its file `/etc/waymark/bridge.yaml`.
package struct BridgeConfiguration: Hashable, Sendable {
  /// The broker and how to be let in.
  package struct Broker: Hashable, Sendable {
    /// Its name or address.
    package var host = "localhost"
    /// Its port: 8883 with TLS, else 1883.
    package var port: Int?
    /// `5`, or `3.1.1`.
    package var version = "5"
    /// Seconds of silence after which either side asks whether the other is there.
    package var keepAlive = 30
    /// The client's name; else `waymark-DEVICE`.
    package var clientID: String?
    /// The user.
    package var username: String?
    /// The file with the password.
    var passwordFile: String?
    /// How many events may be on their way at a time.
    package var window = 100
    /// Encryption; none where missing.
    package var tls: TLS?

    /// Encryption, and who the two are.
    package struct TLS: Hashable, Sendable {
      /// The authorities that vouch for the broker, a file of PEM; else those of the system.
      package var caFile: String?
      /// The certificate of this device.
      package var certificateFile: String?
      /// Its key.
      package var keyFile: String?
    }

    /// Its port.
    package var effectivePort: Int { port ?? (tls == nil ? 1883 : 8883) }
  }

  /// The broker.
  package var broker = Broker()
  /// The name of this device in topics.
  package var device: String
  /// The first level of all topics.
  package var prefix = "waymark"
  /// The service's socket; else where commands look.
  package var socket: String?
  /// The folder in which events wait.
  package var storeFolder = "/var/lib/waymark-bridge"
  /// The limits of the events that wait there.
  package var limits = EventLog.Limits()
  /// The selection of events that leave the device.
  package var selection = EventSelection()
  /// The commands that are taken.
  package var commands: Set<String> = []
  /// The topic below which Home Assistant looks for devices; nil: it is not told.
  package var homeAssistantPrefix: String?
  /// Where figures for Prometheus are left; nowhere where missing.
  package var metricsFile: String?
  /// Seconds between two words of status while nothing changes.
  package var statusEvery = 60

  /// The standard for a device.
  package init(device: String) { self.device = device }

  /// The files that it names and that must be there to be let in.
  package var namedFiles: [String] {
    [broker.tls?.caFile, broker.tls?.certificateFile, broker.tls?.keyFile].compactMap(\.self)
  }

  /// Reads a configuration.
  ///
  /// - Parameters:
  ///   - file: what errors call it.
  ///   - hostName: the device's name where the file gives none.
  /// - Throws: with the code `badConfiguration`, file and line: unknown keys and wrong values are errors.
  package init(yaml: String, file: String, hostName: String) throws(BridgeError) {
    let shortName = hostName.split(separator: ".").first.map(String.init) ?? hostName
    self.init(device: BridgeTopics.isLevel(shortName) ? shortName : "device")
    let document = ConfigurationDocument(yaml, path: file, table: Self.table)
    let values = ConfigurationReader(
      layers: [ConfigurationValues(document, table: Self.table).values], table: Self.table)
    var problems = document.problems
    readDefaults(values)
    broker.read(values, hasTLS: document.checked.at("broker.tls") != nil)
    device = values.string(forKey: "device") ?? device
    socket = values.string(forKey: "socket")
    selection = EventSelection(rules: Self.rules(document, &problems))
    commands = Set(document.checked["commands"]?.strings ?? [])
    metricsFile = values.string(forKey: "metricsFile")
    homeAssistantPrefix = values.string(forKey: "homeAssistant.prefix")
    guard problems.isEmpty else {
      throw BridgeError(
        .badConfiguration, problems.map(\.description).joined(separator: "\n"),
        hint: problems.map(\.hint).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
          .joined(separator: "\n"))
    }
    try broker.check(file)
    guard BridgeTopics(prefix: prefix, device: device) != nil else {
      throw BridgeError(
        .badConfiguration, "\(file): prefix or device cannot be part of a topic",
        hint: "Use letters, digits, - _ and . only: device: line-3")
    }
    guard homeAssistantPrefix.map({ BridgeTopics(prefix: $0, device: device) != nil }) ?? true else {
      throw BridgeError(
        .badConfiguration, "\(file): homeAssistant.prefix cannot be part of a topic",
        hint: "Use letters, digits, - _ and . only: homeassistant")
    }
    if let unknown = commands.sorted().first(where: { CommandFilter.permissible[$0] == nil }) {
      throw BridgeError(
        .badConfiguration, "\(file): commands: \(unknown) cannot be allowed",
        hint: "There are \(CommandFilter.permissible.keys.sorted().joined(separator: ", ")).")
    }
  }
}

extension BridgeConfiguration {
  /// What the table has a default for.
  fileprivate mutating func readDefaults(_ values: ConfigurationReader) {
    prefix = values.string(forKey: "prefix") ?? prefix
    storeFolder = values.string(forKey: "store.folder") ?? storeFolder
    limits.events = values.int(forKey: "store.events") ?? limits.events
    limits.bytes = values.int(forKey: "store.megabytes").map { $0 << 20 } ?? limits.bytes
    statusEvery = values.int(forKey: "statusEvery") ?? statusEvery
  }

  /// The rules of `events`: a name, a family or `*`, each with `off`, `default`, `all`, or a list of fields.
  fileprivate static func rules(
    _ document: ConfigurationDocument, _ problems: inout [ConfigurationProblem]
  ) -> [String: EventSelection.Fields] {
    var rules: [String: EventSelection.Fields] = [:]
    for entry in document.checked["events"]?.entries ?? [] {
      let levels = entry.key.split(separator: ".", omittingEmptySubsequences: false)
      let names = levels.last == "*" ? levels.dropLast() : levels[...]
      guard names.allSatisfy({ BridgeTopics.isLevel(String($0)) }) else {
        problems.append(
          document.problem(
            "it is not a name of events", "events.\(entry.key)", entry.node,
            hint: "Give a name, a family such as scan.*, or *."))
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
        rules[entry.key] = .named(fields.filter { $0 != "default" }, withStandard: fields.contains("default"))
      }
    }
    return rules
  }
}

extension BridgeConfiguration.Broker {
  fileprivate mutating func read(_ values: ConfigurationReader, hasTLS: Bool) {
    host = values.string(forKey: "broker.host") ?? host
    port = values.int(forKey: "broker.port")
    version = values.string(forKey: "broker.version") ?? version
    keepAlive = values.int(forKey: "broker.keepAlive") ?? keepAlive
    clientID = values.string(forKey: "broker.clientID")
    username = values.string(forKey: "broker.username")
    passwordFile = values.string(forKey: "broker.passwordFile").map { Credential.path($0) }
    window = values.int(forKey: "broker.window") ?? window
    guard hasTLS else { return }
    tls = TLS(
      caFile: values.string(forKey: "broker.tls.caFile"),
      certificateFile: values.string(forKey: "broker.tls.certificateFile"),
      keyFile: values.string(forKey: "broker.tls.keyFile").map { Credential.path($0) })
  }

  /// Keys that go together.
  fileprivate func check(_ file: String) throws(BridgeError) {
    guard (tls?.certificateFile == nil) == (tls?.keyFile == nil) else {
      throw BridgeError(
        .badConfiguration, "\(file): broker.tls names a certificate or a key, not both",
        hint: "Give certificateFile and keyFile, or neither.")
    }
    guard passwordFile == nil || username != nil else {
      throw BridgeError(
        .badConfiguration, "\(file): broker.passwordFile goes with broker.username", hint: "Name the user, too."
      )
    }
  }

  /// The password, where there is one: the first line of its file.
  ///
  /// - Throws: `cannotOpen`, also when other users may read it.
  package func password() throws(BridgeError) -> String? {
    guard let passwordFile else { return nil }
    do {
      return try SecretLine.read(passwordFile)
    } catch {
      throw BridgeError(.cannotOpen, error.message, hint: error.hint)
    }
  }
}
