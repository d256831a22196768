import NIOSSL
import WaymarkConfiguration
import WaymarkHTTP
package import WaymarkProtocol
package import WaymarkSpool
import WaymarkSystem

/// The settings of a gateway, from its file `/etc/waymark/gateway.yaml`. `ListenAddress` below is an address on which the gateway
/// listens.
package struct GatewayConfiguration: Configurable, Hashable {
  /// A token and the rights of its holder.
  package struct Token: Configurable, Hashable {
    /// The token's name in logs and quotas.
    package var name = ""
    /// The file whose first line is the token.
    package var file = ""
    /// The highest role of its holder.
    package var role = Role.observer

    package init() {}
  }

  /// The files in PEM format for TLS.
  package struct TLS: Configurable, Hashable {
    package var certificateFile = ""
    package var keyFile = ""

    package init() {}
  }

  /// A webhook: an address to which events are sent.
  @dynamicMemberLookup
  package struct Webhook: Hashable, Sendable {
    /// The selection of events, and the settings of their delivery.
    package struct Options: Configurable, Hashable {
      /// The names and families of the events.
      package var events = ["*"]
      /// The role with which events are received; an observer receives no secrets.
      package var role = Role.observer
      /// The file whose first line is the key that signs events.
      var secretFile = ""
      /// The file with the certificate authorities of the receiver; nil for the system's authorities.
      package var caFile: String?
      /// Seconds that an answer may take.
      package var timeout = 10
      /// The number of times that the receiver may refuse an event before the event is put aside.
      package var attempts = 5

      package init() {}
    }

    /// The name of the webhook in logs and of its folder.
    package let name: String
    package let url: WebhookAddress
    fileprivate let options: Options

    package subscript<Value>(dynamicMember path: KeyPath<Options, Value>) -> Value { options[keyPath: path] }
  }

  /// The addresses on which the gateway listens.
  package var listen = [ListenAddress.socket(path: standardListener)]
  /// The path of the service's socket; nil for the default path.
  package var socket: String?
  /// Further values of `Host` that are accepted.
  package var hosts: [String] = []
  /// The origins of pages whose scripts may use the gateway.
  package var origins: [String] = []
  package var tls: TLS?
  /// The tokens. Every request to a port needs a token.
  package var tokens: [Token] = []
  /// The most connections at a time, for each address.
  package var connections = 512
  /// The most streams of events at a time.
  package var streams = 256
  /// The number of events that are kept in memory for clients that reconnect, for each role.
  var ringEvents = 4096
  /// The most bytes of these events, for each role.
  var ringBytes = 4096 << 10
  /// The folder of the events for webhooks.
  package var storeFolder = "/var/lib/waymark-gateway"
  /// The limits of the stored events, for each webhook.
  package var storeLimits = EventLog.Limits(bytes: 64 << 20)
  var webhooks: [Webhook] = []
  /// The positions of the keys that name files and folders.
  private var places = ConfigurationPlaces()

  package init() {}

  /// Reads a configuration.
  ///
  /// - Parameters:
  ///   - file: the configuration's name in errors.
  ///   - checksFiles: whether the files and folders that it names are checked, without which the gateway does not start.
  /// - Throws: all problems, with the code `badConfiguration`, file and line: unknown keys and wrong values are errors.
  package init(yaml: String, file: String, checksFiles: Bool = false) throws(GatewayError) {
    let document = ConfigurationDocument(yaml, path: file, table: Self.table)
    var reading = Reading(document: document, problems: document.problems)
    read(&reading)
    check(&reading)
    if checksFiles { reading.problems += fileProblems }
    if let text = reading.problems.inOrder.text { throw GatewayError(.badConfiguration, text.message, hint: text.hint) }
  }
}

/// A configuration file that is being read, and the problems found so far.
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
    places = ConfigurationPlaces(document)
    read(document)
    if let node = document.checked["listen"] {
      listen = []
      for text in node.strings {
        guard let address = ListenAddress(text, resolve: { document.resolved($0, in: node) }) else {
          reading.add(
            "nothing can listen on \"\(text)\"", "listen",
            hint: "Give HOST:PORT, such as 127.0.0.1:8632, or a path of at most \(ListenAddress.pathLimit) bytes.")
          continue
        }
        listen.append(address)
      }
    }
    for text in document.checked["origins"]?.strings ?? [] {
      guard let origin = HTTPOrigin(text) else {
        reading.add(
          "\"\(text)\" is not an origin", "origins", hint: "Give scheme, host and perhaps a port: https://app.example.")
        continue
      }
      origins.append(origin.text)
    }
    tls = document.checked["tls"].map { TLS($0, of: document, under: "tls") }
    for entry in document.checked["tokens"]?.entries ?? [] {
      var token = Token(entry.node, of: document, under: "tokens.NAME")
      token.name = entry.key
      tokens.append(token)
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
    let options = Webhook.Options(node, of: reading.document, under: "webhooks.NAME")
    for fault in options.events.compactMap({ EventFeed.fault(of: $0) }) {
      reading.add(fault.message, "\(key).events", hint: fault.hint)
    }
    webhooks.append(Webhook(name: entry.key, url: url, options: options))
  }

  /// Checks that keys which depend on each other are set together.
  private func check(_ reading: inout Reading) {
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

extension GatewayConfiguration {
  /// Reads the tokens, each with its caller.
  ///
  /// - Throws: with the code `cannotOpen` if a file cannot be read or its token is too short; `badConfiguration` if two names have
  ///   the same token, because the sender would be ambiguous.
  func tokenTable() throws(GatewayError) -> TokenTable {
    var rows: [(token: String, caller: Caller)] = []
    for token in tokens {
      let text = try Self.secret(token.file, named: "token \(token.name)")
      if let same = rows.first(where: { ConstantTime.areEqual($0.token, text) }) {
        throw GatewayError(
          .badConfiguration, "tokens.\(same.caller.name) and tokens.\(token.name) have the same token",
          hint: "Make another one: \(Self.newSecret) > \(token.file)")
      }
      rows.append((text, Caller(name: token.name, role: token.role)))
    }
    return TokenTable(rows)
  }

  /// The problems of the files and folders that the configuration names.
  private var fileProblems: [ConfigurationProblem] {
    let named = tokens.filter { !$0.file.isEmpty }
    var problems = named.map { token in
      places.problem("tokens.\(token.name).file") { _ = try Self.secret(token.file, named: "token \(token.name)") }
    }
    if named.count == tokens.count, problems.allSatisfy({ $0 == nil }) {
      problems.append(places.problem("tokens") { _ = try tokenTable() })
    }
    for webhook in webhooks where !webhook.secretFile.isEmpty {
      let key = "webhooks.\(webhook.name)"
      problems.append(
        places.problem("\(key).secretFile") {
          _ = try Self.secret(webhook.secretFile, named: "secret of \(webhook.name)")
        })
      if let file = webhook.caFile {
        problems.append(places.problem("\(key).caFile") { _ = try Self.certificates(file) })
      }
    }
    if let tls, !tls.keyFile.isEmpty, !tls.certificateFile.isEmpty {
      let parts = [
        places.problem("tls.keyFile") { _ = try SecretLine.file(tls.keyFile) },
        places.problem("tls.certificateFile") { _ = try Self.certificates(tls.certificateFile) },
      ]
      problems += parts
      if parts == [nil, nil] { problems.append(places.problem("tls") { try tls.check() }) }
    }
    if !webhooks.isEmpty { problems.append(places.folderProblem("store.folder", storeFolder)) }
    problems += listen.map(problem(of:))
    return problems.compactMap(\.self)
  }

  /// Returns the reason why a socket cannot be made at the address's path; nil without a problem, and for an address of another
  /// kind.
  private func problem(of address: ListenAddress) -> ConfigurationProblem? {
    guard case .socket(let path) = address, places.has("listen") else { return nil }
    switch FileKind(path) {
    case .special: return nil
    case .regular, .folder:
      return places.problem("listen") { () throws(GatewayError) in
        throw GatewayError(.listen, "\(path) is there, and no socket", hint: "Name another path.")
      }
    case nil:
      let folder = Folder.parent(of: path)
      if Folder.isRuntime(folder) { return nil }
      return places.problem("listen") { () throws(GatewayError) in
        guard FileKind(folder) == .folder else {
          throw GatewayError(.listen, "there is no folder \(folder)", hint: "Create it, or name another path.")
        }
      } ?? places.folderProblem("listen", folder)
    }
  }

  /// The command that prints a secret. Browsers offer a token as the name of a protocol of a WebSocket, which has neither `=` nor `/`.
  private static let newSecret = "head -c 24 /dev/urandom | base64 | tr / _"

  /// Reads a secret, which is the first line of a file.
  ///
  /// - Throws: with the code `cannotOpen` if the file cannot be read, or the secret is shorter than
  ///   `TokenTable.shortest`.
  static func secret(_ path: String, named name: String) throws(GatewayError) -> String {
    let line: String
    do {
      line = try SecretLine.read(path)
    } catch {
      throw GatewayError(.cannotOpen, error.message, hint: error.hint)
    }
    guard line.utf8.count >= TokenTable.shortest else {
      throw GatewayError(
        .cannotOpen, "The \(name) in \(path) has fewer than \(TokenTable.shortest) characters",
        hint: "Make another one: \(newSecret) > \(path)")
    }
    return line
  }
}

// MARK: - Addresses and certificates

/// An address that the gateway listens on.
package enum ListenAddress: Hashable, Sendable {
  /// A Unix socket, for every user that may open it.
  case socket(path: String)
  /// A port of the network.
  case network(host: String, port: Int)

  /// The most bytes of a path: the size of `sun_path` without its terminating zero.
  static let pathLimit = 107

  /// Parses a path or `HOST:PORT`; nil if the text is neither. A text with a slash is a path. A text without a colon is a path,
  /// too, unless it is only a port or only a host.
  ///
  /// - Parameter resolve: returns the path to use for a path as it is written.
  package init?(_ text: String, resolve: (String) -> String = { $0 }) {
    let isHost = text == "localhost" || text.allSatisfy { $0.isNumber || $0 == "." }
    if text.contains("/") || !text.contains(":") && !isHost {
      let path = resolve(text)
      guard path.utf8.count <= Self.pathLimit else { return nil }
      self = .socket(path: path)
      return
    }
    guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else { return nil }
    var host = String(text[..<colon])
    if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
    guard !host.isEmpty, host.utf8.allSatisfy({ $0 > 32 && $0 < 127 && $0 != UInt8(ascii: "/") }) else { return nil }
    self = .network(host: host, port: Int(port))
  }

  /// The address as it is written in the configuration.
  package var text: String {
    switch self {
    case .socket(let path): path
    case .network(let host, let port): (host.contains(":") ? "[\(host)]" : host) + ":\(port)"
    }
  }

  /// True if other devices can connect to it.
  var leavesDevice: Bool {
    if case .network(let host, _) = self { !ListenAuthorities.isLoopback(host) } else { false }
  }
}

extension GatewayConfiguration {
  /// Returns the certificates in a PEM file.
  static func certificates(_ file: String) throws(GatewayError) -> [NIOSSLCertificate] {
    guard let bytes = try? WholeFile.read(file, limit: 1 << 20),
      let found = try? NIOSSLCertificate.fromPEMBytes(bytes), !found.isEmpty
    else {
      throw GatewayError(
        .cannotOpen, "\(file) cannot be read, or has no certificate", hint: "Name a file with certificates in PEM.")
    }
    return found
  }
}

extension GatewayConfiguration.TLS {
  /// The suites of TLS 1.2 as BoringSSL names them: authenticated encryption with forward secrecy. All suites of TLS 1.3
  /// are of this kind.
  private static let cipherSuites = "ECDH+AESGCM:ECDH+CHACHA20"

  /// Throws if the certificate and the key cannot be used together.
  func check() throws(GatewayError) {
    do {
      _ = try NIOSSLContext(configuration: encryption())
    } catch {
      throw GatewayError(
        .cannotOpen, "\(keyFile) is not the key of the certificate in \(certificateFile)",
        hint: "Name a certificate and its key, both in PEM.")
    }
  }

  /// Returns the configuration of a server with the certificate.
  func encryption() throws -> TLSConfiguration {
    let chain = try GatewayConfiguration.certificates(certificateFile).map { NIOSSLCertificateSource.certificate($0) }
    let key = try NIOSSLPrivateKey(file: keyFile, format: .pem)
    var configuration = TLSConfiguration.makeServerConfiguration(certificateChain: chain, privateKey: .privateKey(key))
    configuration.minimumTLSVersion = .tlsv12
    configuration.cipherSuites = Self.cipherSuites
    configuration.applicationProtocols = ["http/1.1"]
    return configuration
  }
}
