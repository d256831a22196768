package import WaymarkConfiguration

extension GatewayConfiguration {
  /// The keys of `gateway.yaml`.
  package static let table = ConfigurationTable(keys)

  /// The Unix socket that the gateway listens on where nothing else is configured.
  static let standardListener = "/run/waymark-gateway/http.sock"

  private static let path = ConfigurationKind.text(4096)
  private static let name = ConfigurationKind.text(1024)

  private static let keys: [ConfigurationKey] = [
    ConfigurationKey(
      "listen", .texts(256),
      "where it listens: paths of Unix sockets, and `HOST:PORT`; a port needs `tokens`, one that other devices reach needs `tls` too",
      otherwise: "`[\(standardListener)]`", hasVariable: false),
    key("socket", path, "where the service listens", otherwise: "`$WAYMARK_SOCKET`, else the system's"),
    key(
      "hosts", .texts(256), "further names under which clients reach it, as `Host` gives them: `kiosk.example:8632`",
      otherwise: "none"),
    key(
      "origins", .texts(256), "pages whose scripts may use it, as browsers name them: `https://app.example`",
      otherwise: "none"),
    key("tls", .section, "encryption of all ports, TLS 1.2 at least", otherwise: "none"),
    key("tls.certificateFile", path, "the certificate and those that vouch for it, PEM; goes with `keyFile`"),
    key(
      "tls.keyFile", path,
      "its key, PEM; one that everybody may read is refused; a [credential](operations.md#secrets) too"),
    key("tokens", .named, "who may use the ports, by a name for each"),
    key(
      "tokens.NAME.file", path,
      "a file whose first line is the token, 16 characters at least; one that everybody may read is refused; a [credential](operations.md#secrets) too"
    ),
    key(
      "tokens.NAME.role", .choice(["operator", "observer"]),
      "what its holder may do: no more than the gateway itself may do at the socket", .string("observer")),
    key("connections", .int(8...10_000), "connections of clients at a time", .int(512)),
    key("streams", .int(1...1000), "streams of events at a time", .int(256)),
    key("ring.events", .int(16...100_000), "events that are kept for clients that come back", .int(4096)),
    key("ring.kilobytes", .int(64...65_536), "what they take at most, for each role", .int(4096)),
    key("store.folder", path, "where events for webhooks wait", .string("/var/lib/waymark-gateway")),
    key("store.events", .int(1000...10_000_000), "events that are kept for each webhook at least", .int(100_000)),
    key("store.megabytes", .int(1...65_536), "what they take at most, for each webhook", .int(64)),
    key("webhooks", .named, "addresses that events are sent to, by a name for each"),
    key("webhooks.NAME.url", name, "where to: `https://host/path`, or `http://` on this device"),
    key(
      "webhooks.NAME.events", .texts(64), "which events: names, families such as `scan.*`, or `*`",
      otherwise: "`[\"*\"]`"),
    key(
      "webhooks.NAME.role", .choice(["operator", "observer"]), "as whom it sees them: an observer sees no secrets",
      .string("observer")),
    key(
      "webhooks.NAME.secretFile", path,
      "a file whose first line signs what is sent, 16 characters at least; one that everybody may read is refused; a [credential](operations.md#secrets) too"
    ),
    key(
      "webhooks.NAME.caFile", path, "the authorities that vouch for the address, PEM", otherwise: "those of the system"),
    key("webhooks.NAME.timeout", .int(1...120), "seconds that an answer may take", .int(10)),
    key(
      "webhooks.NAME.attempts", .int(1...1000),
      "how often an event is sent that is refused (an answer of 4xx) before it is put aside", .int(5)),
  ]

  private static func key(
    _ path: String, _ kind: ConfigurationKind, _ meaning: String, _ defaultValue: ConfigurationValue? = nil,
    otherwise: String? = nil
  ) -> ConfigurationKey {
    ConfigurationKey(path, kind, meaning, defaultValue: defaultValue, otherwise: otherwise, hasVariable: false)
  }
}
