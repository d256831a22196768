package import WaymarkConfiguration

extension BridgeConfiguration {
  /// The keys of `bridge.yaml`.
  package static let table = ConfigurationTable(keys)

  private static let path = ConfigurationKind.text(4096)
  private static let name = ConfigurationKind.text(1024)

  private static let keys: [ConfigurationKey] = [
    key("broker.host", name, "the broker's name or address", .string("localhost")),
    key("broker.port", .int(1...65_535), "its port", otherwise: "8883 with `broker.tls`, else 1883"),
    key("broker.version", .choice(["5", "3.1.1"]), "the version of MQTT", .string("5")),
    key(
      "broker.keepAlive", .int(5...3600), "seconds of silence after which either side asks whether the other is there",
      .int(30)),
    key("broker.clientID", name, "the client's name at the broker", otherwise: "`waymark-DEVICE`"),
    key("broker.username", name, "the user"),
    key(
      "broker.passwordFile", path,
      "a file whose first line is the password; one that everybody may read is refused; a [credential](operations.md#secrets) too"
    ),
    key("broker.window", .int(1...1000), "events that may be on their way at a time", .int(100)),
    key(
      "broker.tls", .section,
      "encryption, TLS 1.2 at least; the broker's name is compared, and there is no way to leave that out",
      otherwise: "none"),
    key("broker.tls.caFile", path, "the authorities that vouch for the broker, PEM", otherwise: "those of the system"),
    key("broker.tls.certificateFile", path, "the certificate of this device, PEM; goes with `keyFile`"),
    key("broker.tls.keyFile", path, "its key, PEM; a [credential](operations.md#secrets) too"),
    key("device", name, "the device's name in topics, `PREFIX/DEVICE/…`", otherwise: "the name of the host"),
    key("prefix", name, "the first level of all topics", .string("waymark")),
    key("socket", path, "where the service listens", otherwise: "`$WAYMARK_SOCKET`, else the system's"),
    key("store.folder", path, "where events wait", .string("/var/lib/waymark-bridge")),
    key(
      "store.events", .int(1000...10_000_000), "events that are kept at least, as long as they fit", .int(100_000)),
    key("store.megabytes", .int(1...1 << 20), "what they take at most", .int(256)),
    key(
      "events", .named, "which events and which of their fields leave the device, [below](#what-leaves-the-device)"),
    key(
      "events.NAME", .words, "`off`, `default`, `all`, or a list of fields; by name, family such as `scan.*`, or `*`"),
    ConfigurationKey(
      "commands", .texts(256), "which [commands](#commands) are taken", otherwise: "none",
      remedy: "Leave the key out to allow none."),
    key(
      "homeAssistant.prefix", name,
      "tells [Home Assistant](#home-assistant) of this device below this topic; its own default is `homeassistant`",
      otherwise: "not told"),
    key("metricsFile", path, "where figures for Prometheus are left, every 15 seconds", otherwise: "nowhere"),
    key("statusEvery", .int(5...86_400), "seconds between two words of status while nothing changes", .int(60)),
  ]

  private static func key(
    _ path: String, _ kind: ConfigurationKind, _ meaning: String, _ defaultValue: ConfigurationValue? = nil,
    otherwise: String? = nil
  ) -> ConfigurationKey {
    ConfigurationKey(path, kind, meaning, defaultValue: defaultValue, otherwise: otherwise, hasVariable: false)
  }
}
