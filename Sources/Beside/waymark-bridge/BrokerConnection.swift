import CMosquitto
import Glibc
import WaymarkSystem

/// A connection to a broker by libmosquitto. Use it from one thread only. `ConnectionFailure` below is its error.
final class BrokerConnection {
  /// A report of the broker: it accepts or refuses this client, acknowledges a message, or delivers one.
  enum Incident {
    case connected
    case refused(String)
    case arrived(message: Int32, refusal: String?)
    case received(topic: String, payload: [UInt8], isRetained: Bool)
  }

  /// Collects the incidents that the library reports by callbacks.
  private final class Inbox {
    let isVersion5: Bool
    var incidents: [Incident] = []

    init(isVersion5: Bool) { self.isVersion5 = isVersion5 }

    /// Returns the inbox that a callback's context points to.
    static func of(_ context: UnsafeMutableRawPointer?) -> Inbox? {
      context.map { Unmanaged<Inbox>.fromOpaque($0).takeUnretainedValue() }
    }

    func text(_ reason: Int32) -> String {
      String(cString: isVersion5 ? mosquitto_reason_string(reason) : mosquitto_connack_string(reason))
    }
  }

  private static let initialisation = mosquitto_lib_init()
  private let inbox: Inbox
  private let handle: OpaquePointer
  private(set) var endReason: String?

  /// Opens the network connection; `Incident.connected` reports later that the broker accepts this client.
  ///
  /// - Throws: `BridgeError` if the password cannot be read; `ConnectionFailure` with the library's reason if connecting fails.
  init(_ broker: BridgeConfiguration.Broker, clientID: String, will: BridgeMessage) throws {
    _ = Self.initialisation
    let password = try broker.password()
    inbox = Inbox(isVersion5: broker.version == "5")
    // A clean session suffices, as events that are not acknowledged are sent again from the log.
    guard let handle = mosquitto_new(clientID, true, Unmanaged.passUnretained(inbox).toOpaque()) else {
      throw ConnectionFailure(text: "no memory")
    }
    self.handle = handle
    let version = inbox.isVersion5 ? MQTT_PROTOCOL_V5 : MQTT_PROTOCOL_V311
    try check(mosquitto_int_option(handle, MOSQ_OPT_PROTOCOL_VERSION, version))
    try check(mosquitto_int_option(handle, MOSQ_OPT_SEND_MAXIMUM, Int32(broker.window)))
    try check(mosquitto_int_option(handle, MOSQ_OPT_TCP_NODELAY, 1))
    if let username = broker.username { try check(mosquitto_username_pw_set(handle, username, password)) }
    try check(mosquitto_will_set(handle, will.topic, Int32(will.payload.count), will.payload, 1, true))
    if let tls = broker.tls {
      // Without a file, the folder where Debian's ca-certificates puts the authorities of the system.
      let folder = tls.caFile == nil ? "/etc/ssl/certs" : nil
      // Without this callback the library would ask for the pass phrase of a key at the terminal.
      try check(
        mosquitto_tls_set(handle, tls.caFile, folder, tls.certificateFile, tls.keyFile) { buffer, size, _, _ in
          if size > 0 { buffer?[0] = 0 }
          return 0
        })
      // 1 is SSL_VERIFY_PEER. The name of the broker is compared, since mosquitto_tls_insecure_set is not called.
      try check(mosquitto_tls_opts_set(handle, 1, "tlsv1.2", nil))
    }
    mosquitto_connect_v5_callback_set(handle) { _, context, reason, _, _ in
      guard let inbox = Inbox.of(context) else { return }
      inbox.incidents.append(reason == 0 ? .connected : .refused(inbox.text(reason)))
    }
    mosquitto_publish_v5_callback_set(handle) { _, context, message, reason, _ in
      guard let inbox = Inbox.of(context) else { return }
      inbox.incidents.append(.arrived(message: message, refusal: reason < 128 ? nil : inbox.text(reason)))
    }
    mosquitto_message_v5_callback_set(handle) { _, context, message, _ in
      guard let inbox = Inbox.of(context), let message = message?.pointee, let topic = message.topic,
        message.payloadlen <= 64 << 10
      else { return }
      let count = message.payload == nil ? 0 : max(0, Int(message.payloadlen))
      inbox.incidents.append(
        .received(
          topic: String(cString: topic),
          payload: Array(UnsafeRawBufferPointer(start: message.payload, count: count)), isRetained: message.retain))
    }
    errno = 0
    try check(mosquitto_connect(handle, broker.host, Int32(broker.effectivePort), Int32(broker.keepAlive)))
  }

  /// Closes the connection without a DISCONNECT packet, so that the broker publishes the last will.
  deinit { mosquitto_destroy(handle) }

  private func check(_ result: Int32) throws {
    let number = errno
    guard mosq_err_t(result) != MOSQ_ERR_SUCCESS else { return }
    let isOfSystem = mosq_err_t(result) == MOSQ_ERR_ERRNO
    throw ConnectionFailure(text: isOfSystem ? systemMessage(number) : String(cString: mosquitto_strerror(result)))
  }

  /// The socket; -1 when it is closed.
  var socket: Int32 { mosquitto_socket(handle) }

  /// True if data waits to be written.
  var wantsWrite: Bool { mosquitto_want_write(handle) }

  /// Reads and writes without waiting; false when the connection is over.
  func turn(readable: Bool, writable: Bool) -> Bool {
    var result: Int32 = 0
    if readable { result = mosquitto_loop_read(handle, 1) }
    if result == 0, writable { result = mosquitto_loop_write(handle, 1) }
    if result == 0 { result = mosquitto_loop_misc(handle) }
    if result != 0 { endReason = String(cString: mosquitto_strerror(result)) }
    return result == 0
  }

  /// Returns the incidents since the previous call.
  func takeIncidents() -> [Incident] {
    defer { inbox.incidents = [] }
    return inbox.incidents
  }

  /// The result of handing a message to the library.
  enum Publication {
    case underway(message: Int32)
    /// No broker accepts the message: it is too large, or its topic is invalid.
    case impossible(String)
    case failed(String)
  }

  func publish(_ message: BridgeMessage, quality: Int32 = 1) -> Publication {
    var number: Int32 = 0
    let result = mosquitto_publish(
      handle, &number, message.topic, Int32(clamping: message.payload.count), message.payload, quality,
      message.isRetained)
    switch mosq_err_t(result) {
    case MOSQ_ERR_SUCCESS: return .underway(message: number)
    case MOSQ_ERR_INVAL, MOSQ_ERR_PAYLOAD_SIZE, MOSQ_ERR_MALFORMED_UTF8, MOSQ_ERR_OVERSIZE_PACKET:
      return .impossible(String(cString: mosquitto_strerror(result)))
    default: return .failed(String(cString: mosquitto_strerror(result)))
    }
  }

  /// Subscribes with QoS 1. A broker of version 5 omits retained messages; older brokers send them, marked as retained.
  func subscribe(to filter: String) {
    if inbox.isVersion5 {
      mosquitto_subscribe_v5(handle, nil, filter, 1, Int32(MQTT_SUB_OPT_SEND_RETAIN_NEVER.rawValue), nil)
    } else {
      mosquitto_subscribe(handle, nil, filter, 1)
    }
  }

  /// Ends the connection without a last will.
  func disconnect() { mosquitto_disconnect(handle) }
}

/// The reason why a broker cannot be reached.
struct ConnectionFailure: Error {
  let text: String
}
