import WaymarkConfiguration
import WaymarkHTTP
package import WaymarkProtocol
import WaymarkSystem

/// The settings of a gateway, from its file `/etc/waymark/gateway.yaml`.
package struct GatewayConfiguration: Hashable, Sendable {
  /// A token and what its holder may do.
  package struct Token: Hashable, Sendable {
    /// The name in logs.
    package var name: String
    /// The file whose first line it is.
    package var file: String
    /// The rights of its holder.
    package var role: Role
  }

  /// Encryption.
  package struct TLS: Hashable, Sendable {
    /// The certificate, PEM.
    package var certificateFile: String
    /// Its key, PEM.
    package var keyFile: String
  }

  /// An address that events are sent to.
  package struct Webhook: Hashable, Sendable {
    /// The name in logs, and of its folder.
    package var name: String
    /// Where to.
    package var url: WebhookAddress
    /// Which events.
    package var events: [String]
    /// As whom it sees them.
    package var role: Role
    /// The file whose first line signs what is sent.
    var secretFile: String
    /// The authorities that vouch for the address.
    package var caFile: String?
    /// Seconds that an answer may take.
    package var timeout: Int
    /// How often an event is sent that is refused.
    package var attempts: Int
  }

  /// Where it listens.
  package var listen = [ListenAddress.socket(path: standardListener)]
  /// The service's socket; else where commands look.
  package var socket: String?
  /// Further names in `Host`.
  package var hosts: [String] = []
  /// Pages whose scripts may use it.
  package var origins: [String] = []
  /// Encryption; none where missing.
  package var tls: TLS?
  /// The tokens of those who may use the ports.
  package var tokens: [Token] = []
  /// Connections at a time.
  package var connections = 512
  /// Streams of events at a time.
  package var streams = 256
  /// Events that are kept for clients that come back.
  var ringEvents = 4096
  /// The bytes that they take at most.
  var ringBytes = 4096 << 10
  /// Where events for webhooks wait.
  package var storeFolder = "/var/lib/waymark-gateway"
  /// Events that are kept for each webhook at least.
  var storeEvents = 100_000
  /// Bytes that they take at most.
  package var storeBytes = 64 << 20
  /// Addresses that events are sent to.
  var webhooks: [Webhook] = []

  /// The standard: one Unix socket.
  package init() {}

  /// Reads a configuration.
  ///
  /// - Parameter file: what errors call it.
  /// - Throws: with the code `badConfiguration`, file and line: unknown keys and wrong values are errors.
  package init(yaml: String, file: String) throws(GatewayError) {
    let document = ConfigurationDocument(yaml, path: file, table: Self.table)
    var reading = Reading(document: document, problems: document.problems)
    read(&reading)
    check(&reading)
    guard reading.problems.isEmpty else {
      throw GatewayError(
        .badConfiguration, reading.problems.map(\.description).joined(separator: "\n"),
        hint: reading.problems.map(\.hint).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
          .joined(separator: "\n"))
    }
  }

  /// The files that it names and that must be there.
  package var namedFiles: [String] {
    [tls?.certificateFile].compactMap(\.self) + webhooks.compactMap(\.caFile)
  }
}

/// A file that is being read, and what is wrong with it so far.
private struct Reading {
  let document: ConfigurationDocument
  var problems: [ConfigurationProblem]

  mutating func add(_ message: String, _ key: String, hint: String) {
    problems.append(document.problem(message, key, document.checked.at(key), hint: hint))
  }
}

extension GatewayConfiguration {
  private mutating func read(_ reading: inout Reading) {
    let document = reading.document
    let values = ConfigurationReader(
      layers: [ConfigurationValues(document, table: Self.table).values], table: Self.table)
    socket = values.string(forKey: "socket")
    connections = values.int(forKey: "connections") ?? connections
    streams = values.int(forKey: "streams") ?? streams
    ringEvents = values.int(forKey: "ring.events") ?? ringEvents
    ringBytes = values.int(forKey: "ring.kilobytes").map { $0 << 10 } ?? ringBytes
    storeFolder = values.string(forKey: "store.folder") ?? storeFolder
    storeEvents = values.int(forKey: "store.events") ?? storeEvents
    storeBytes = values.int(forKey: "store.megabytes").map { $0 << 20 } ?? storeBytes
    if let texts = document.checked["listen"]?.strings {
      listen = []
      for text in texts {
        guard let address = ListenAddress(text) else {
          reading.add(
            "nothing can listen on \"\(text)\"", "listen", hint: "Give a path, or HOST:PORT: 127.0.0.1:8632.")
          continue
        }
        listen.append(address)
      }
    }
    hosts = (document.checked["hosts"]?.strings ?? []).map { $0.lowercased() }
    for text in document.checked["origins"]?.strings ?? [] {
      guard let origin = HTTPOrigin(text) else {
        reading.add(
          "\"\(text)\" is not an origin", "origins", hint: "Give scheme, host and perhaps a port: https://app.example.")
        continue
      }
      origins.append(origin.text)
    }
    if document.checked["tls"] != nil {
      tls = TLS(
        certificateFile: values.string(forKey: "tls.certificateFile") ?? "",
        keyFile: Credential.path(values.string(forKey: "tls.keyFile") ?? ""))
    }
    for entry in document.checked["tokens"]?.entries ?? [] {
      tokens.append(
        Token(
          name: entry.key, file: Credential.path(entry.node["file"]?.string ?? ""),
          role: entry.node["role"]?.string == "operator" ? .operator : .observer))
    }
    for entry in document.checked["webhooks"]?.entries ?? [] { readWebhook(entry, &reading) }
  }

  private mutating func readWebhook(_ entry: SourceNode.Entry, _ reading: inout Reading) {
    let key = "webhooks.\(entry.key)"
    let node = entry.node
    guard Self.isName(entry.key) else {
      reading.add("the name of a webhook becomes a folder", key, hint: "Use letters, digits, - and _.")
      return
    }
    guard let text = node["url"]?.string, let url = WebhookAddress(text) else {
      reading.add(
        "there is no address that can be used", key,
        hint: "Give url: https://host/path. Without encryption only this device can be named: http://127.0.0.1:8080/.")
      return
    }
    let events = node["events"]?.strings ?? ["*"]
    if let bad = events.first(where: { !EventPatterns.isValid($0) }) {
      reading.add(
        "\"\(bad)\" is not a pattern of events", "\(key).events",
        hint: "Use names (scan.successful), families (scan.*) or *.")
    }
    webhooks.append(
      Webhook(
        name: entry.key, url: url, events: events,
        role: node["role"]?.string == "operator" ? .operator : .observer,
        secretFile: Credential.path(node["secretFile"]?.string ?? ""), caFile: node["caFile"]?.string,
        timeout: node["timeout"]?.int ?? 10, attempts: node["attempts"]?.int ?? 5))
  }

  /// Checks which keys belong together, and which may not be left out.
  private func check(_ reading: inout Reading) {
    if listen.isEmpty {
      reading.add("it listens nowhere", "listen", hint: "Give a path or HOST:PORT, or leave the key out.")
    }
    if let tls, tls.certificateFile.isEmpty || tls.keyFile.isEmpty {
      reading.add(
        "tls names a certificate or a key, not both", "tls", hint: "Give certificateFile and keyFile, or no tls.")
    }
    for address in listen {
      guard case .network = address else { continue }
      if tokens.isEmpty {
        reading.add(
          "\(address.text) is open to every user of this device, and there are no tokens", "listen",
          hint: "Give tokens, or listen on a Unix socket alone.")
      }
      if address.leavesDevice, tls == nil {
        reading.add(
          "\(address.text) is reached from other devices, and nothing is encrypted", "listen",
          hint: "Give tls, or listen on 127.0.0.1.")
      }
    }
    for token in tokens where token.file.isEmpty {
      reading.add("the token has no file", "tokens.\(token.name)", hint: "Give file: /etc/waymark/gateway.token.")
    }
    for webhook in webhooks where webhook.secretFile.isEmpty {
      reading.add(
        "the webhook has no secret", "webhooks.\(webhook.name)",
        hint: "Give secretFile: what is sent is signed, so that its receiver knows whom it is from.")
    }
  }

  private static func isName(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.count <= 64
      && text.utf8.allSatisfy {
        ($0 | 32 >= UInt8(ascii: "a") && $0 | 32 <= UInt8(ascii: "z"))
          || ($0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9"))
          || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
      }
  }
}
