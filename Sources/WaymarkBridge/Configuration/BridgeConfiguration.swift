import Glibc
import WaymarkSystem
import Yams

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
    package var passwordFile: String?
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
    let root: Node?
    do {
      root = try Yams.compose(yaml: yaml)
    } catch {
      throw BridgeError(.badConfiguration, "\(file) is not YAML: \(error)", hint: "Check its indentation.")
    }
    guard let root, root.null == nil else { return }
    var reader = YAMLSection(root, file: file)
    try reader.section("broker") { section throws(BridgeError) in try broker.read(&section) }
    device = try reader.text("device") ?? device
    prefix = try reader.text("prefix") ?? prefix
    socket = try reader.text("socket")
    try reader.section("store") { section throws(BridgeError) in
      storeFolder = try section.text("folder") ?? storeFolder
      limits.events = try section.number("events", 1000...10_000_000) ?? limits.events
      limits.bytes = (try section.number("megabytes", 1...1 << 20)).map { $0 << 20 } ?? limits.bytes
    }
    selection = EventSelection(rules: try reader.rules("events"))
    commands = Set(try reader.list("commands", emptyMeans: "Leave the key out to allow none.") ?? [])
    metricsFile = try reader.text("metricsFile")
    statusEvery = try reader.number("statusEvery", 5...86_400) ?? statusEvery
    try reader.end()
    guard BridgeTopics(prefix: prefix, device: device) != nil else {
      throw BridgeError(
        .badConfiguration, "\(file): prefix or device cannot be part of a topic",
        hint: "Use letters, digits, - _ and . only: device: line-3")
    }
    if let unknown = commands.sorted().first(where: { CommandFilter.permissible[$0] == nil }) {
      throw BridgeError(
        .badConfiguration, "\(file): commands: \(unknown) cannot be allowed",
        hint: "There are \(CommandFilter.permissible.keys.sorted().joined(separator: ", ")).")
    }
  }
}

extension BridgeConfiguration.Broker {
  fileprivate mutating func read(_ section: inout YAMLSection) throws(BridgeError) {
    host = try section.text("host") ?? host
    port = try section.number("port", 1...65_535)
    version = try section.word("version", ["5", "3.1.1"]) ?? version
    keepAlive = try section.number("keepAlive", 5...3600) ?? keepAlive
    clientID = try section.text("clientID")
    username = try section.text("username")
    passwordFile = try section.text("passwordFile")
    window = try section.number("window", 1...1000) ?? window
    try section.section("tls") { inner throws(BridgeError) in
      tls = TLS(
        caFile: try inner.text("caFile"), certificateFile: try inner.text("certificateFile"),
        keyFile: try inner.text("keyFile"))
    }
    guard (tls?.certificateFile == nil) == (tls?.keyFile == nil) else {
      throw BridgeError(
        .badConfiguration, "\(section.file): broker.tls needs certificateFile and keyFile together",
        hint: "Write both, or neither.")
    }
    guard passwordFile == nil || username != nil else {
      throw BridgeError(
        .badConfiguration, "\(section.file): broker.passwordFile goes with broker.username", hint: "Name the user, too."
      )
    }
  }

  /// The password, where there is one: the first line of its file.
  ///
  /// - Throws: `cannotOpen`, also when other users may read it.
  package func password() throws(BridgeError) -> String? {
    guard let passwordFile else { return nil }
    var information = stat()
    guard stat(passwordFile, &information) == 0 else {
      throw BridgeError(
        .cannotOpen, "\(passwordFile) cannot be read: \(systemMessage(errno))", hint: "Check broker.passwordFile.")
    }
    guard information.st_mode & 0o007 == 0 else {
      throw BridgeError(
        .cannotOpen, "\(passwordFile) can be read by everybody",
        hint: "chmod o= \(passwordFile), then choose another password.")
    }
    do {
      let bytes = try WholeFile.read(passwordFile, limit: 4096)
      return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }, as: UTF8.self)
    } catch {
      throw BridgeError(.cannotOpen, error.message, hint: error.hint)
    }
  }
}
