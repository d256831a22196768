package import WaymarkConfiguration
package import WaymarkProtocol
import WaymarkSpool
import WaymarkSystem

extension GatewayConfiguration {
  /// The keys of `gateway.yaml`.
  package static let table = ConfigurationTable(
    access.map(\.key) + TLS.keys + Token.keys + limits.map(\.key) + Webhook.Options.keys)

  package static let settings = access + limits

  /// The Unix socket on which the gateway listens by default.
  static let standardListener = "/run/waymark-gateway/http.sock"

  private static let access: [Setting<Self>] = [
    Setting(
      "listen", .texts(256),
      "addresses to listen on: paths of Unix sockets, and `HOST:PORT`; a port needs `tokens`, one that other devices reach needs `tls` too",
      otherwise: "`[\(standardListener)]`"),
    Setting(
      "socket", .path, "the service's socket", into: \.socket, otherwise: "that of `waymark socket-path`"),
    Setting(
      "hosts", .texts(256), "further accepted values of `Host`, such as `kiosk.example:8632`",
      into: \.hosts, otherwise: "none", from: { (names: [String]) in names.map { $0.lowercased() } }),
    Setting(
      "origins", .texts(256), "origins of pages whose scripts may use it, such as `https://app.example`",
      otherwise: "none"),
    Setting("tls", .section, "encryption of all ports, TLS 1.2 at least", otherwise: "none"),
  ]

  private static let limits: [Setting<Self>] = [
    Setting("connections", .int(8...10_000), "connections of clients at a time", into: \.connections),
    Setting("streams", .int(1...1000), "streams of events at a time", into: \.streams),
    Setting(
      "ring.events", .int(16...100_000), "events kept for clients that reconnect", into: \.ringEvents),
    Setting(
      "ring.kilobytes", .int(64...65_536), "what they take at most, for each role", into: \.ringBytes,
      from: { (count: Int) in count << 10 }, to: { $0 >> 10 }),
    Setting("store.folder", .path, "folder of the events for webhooks", into: \.storeFolder),
    Setting(
      "store.events", .int(1000...10_000_000), "events that are kept for each webhook at least",
      into: \.storeLimits.events),
    Setting(
      "store.megabytes", .int(1...65_536), "what they take at most, for each webhook", into: \.storeLimits.bytes,
      from: { (count: Int) in count << 20 }, to: { $0 >> 20 }),
    Setting("webhooks", .named, "addresses to which events are sent, by name"),
    Setting(
      "webhooks.NAME.url", .text(1024), "address: `https://host/path`, or `http://` on this device"),
  ]
}

extension GatewayConfiguration.TLS {
  package static let settings: [Setting<Self>] = [
    Setting(
      "tls.certificateFile", .path, "certificate and its chain, PEM; needs `keyFile`",
      into: \.certificateFile),
    Setting(
      "tls.keyFile", .path,
      "its key, PEM, not readable for all users, or a [credential](operations.md#secrets)",
      into: \.keyFile, from: { Credential.path($0) }),
  ]
}

extension GatewayConfiguration.Token {
  package static let settings: [Setting<Self>] = [
    Setting("tokens", .named, "tokens for the ports, by name"),
    Setting(
      "tokens.NAME.file", .path,
      "file whose first line is the token, 16 characters at least (browsers' WebSockets take none with `=` or `/`), not readable for all users, or a [credential](operations.md#secrets)",
      into: \.file, from: { Credential.path($0) }),
    Setting(
      "tokens.NAME.role", "rights of its holder, at most those of the gateway at the socket",
      into: \.role),
  ]
}

extension GatewayConfiguration.Webhook.Options {
  package static let settings: [Setting<Self>] = [
    Setting(
      "webhooks.NAME.events", .texts(64), "names, families such as `scan.*`, or `*`", into: \.events,
      otherwise: "`[\"*\"]`"),
    Setting(
      "webhooks.NAME.role", "role as which it receives them; an observer receives no secrets", into: \.role),
    Setting(
      "webhooks.NAME.secretFile", .path,
      "file whose first line is the key of signatures, 16 characters at least, not readable for all users, or a [credential](operations.md#secrets)",
      into: \.secretFile, from: { Credential.path($0) }),
    Setting(
      "webhooks.NAME.caFile", .path, "certificate authorities of the address, PEM", into: \.caFile,
      otherwise: "those of the system"),
    Setting("webhooks.NAME.timeout", .int(1...120), "seconds that an answer may take", into: \.timeout),
    Setting(
      "webhooks.NAME.attempts", .int(1...1000),
      "attempts to send an event that is refused (status 4xx) before it is put aside", into: \.attempts),
  ]
}

extension Role: SettingWord {}
