import CMosquitto
import Glibc

/// One connection to a broker, by libmosquitto; used by one thread alone.
final class BrokerConnection {
  /// An incident on the connection.
  enum Incident {
    case connected
    case refused(String)
    case arrived(message: Int32, refusal: String?)
    case received(topic: String, payload: [UInt8], isRetained: Bool)
  }

  /// The incidents and messages that the callbacks left.
  private final class Inbox {
    var incidents: [Incident] = []
    var handle: OpaquePointer?
  }

  private let inbox = Inbox()
  private let handle: OpaquePointer
  private(set) var endReason: String?

  /// Reaches the broker's machine.
  ///
  /// - Throws: `ConnectionFailure` with what the library says.
  init(_ broker: BridgeConfiguration.Broker, clientID: String, will: BridgeMessage) throws {
    let password = try broker.password()
    var reason: UnsafePointer<CChar>?
    var callbacks = cmosquitto_callbacks()
    callbacks.context = Unmanaged.passUnretained(inbox).toOpaque()
    callbacks.connected = { context, reason in
      let inbox = BrokerConnection.inbox(context)
      let text = inbox?.handle.map { String(cString: cmosquitto_reason_text($0, reason)) } ?? "\(reason)"
      inbox?.incidents.append(reason == 0 ? .connected : .refused(text))
    }
    callbacks.disconnected = { _, _ in }
    callbacks.arrived = { context, message, reason in
      let inbox = BrokerConnection.inbox(context)
      let text = reason < 128 ? nil : inbox?.handle.map { String(cString: cmosquitto_reason_text($0, reason)) }
      inbox?.incidents.append(.arrived(message: message, refusal: reason < 128 ? nil : text ?? "\(reason)"))
    }
    callbacks.received = { context, topic, payload, count, isRetained in
      guard let topic, count <= 64 << 10 else { return }
      let bytes = [UInt8](UnsafeRawBufferPointer(start: payload, count: payload == nil ? 0 : count))
      BrokerConnection.inbox(context)?.incidents.append(
        .received(topic: String(cString: topic), payload: bytes, isRetained: isRetained))
    }
    var options = cmosquitto_options()
    options.port = Int32(broker.effectivePort)
    options.keep_alive = Int32(broker.keepAlive)
    options.window = Int32(broker.window)
    options.version_5 = broker.version == "5"
    options.tls = broker.tls != nil
    errno = 0
    // The library copies every text.
    let texts = [
      broker.host, clientID, broker.username, password, broker.tls?.caFile, broker.tls?.certificateFile,
      broker.tls?.keyFile, will.topic, String(decoding: will.payload, as: UTF8.self),
    ].map { $0.flatMap { strdup($0) } }
    defer { for text in texts { free(text) } }
    options.host = UnsafePointer(texts[0])
    options.client_id = UnsafePointer(texts[1])
    options.username = UnsafePointer(texts[2])
    options.password = UnsafePointer(texts[3])
    options.ca_file = UnsafePointer(texts[4])
    options.certificate_file = UnsafePointer(texts[5])
    options.key_file = UnsafePointer(texts[6])
    options.will_topic = UnsafePointer(texts[7])
    options.will_payload = UnsafePointer(texts[8])
    guard let handle = cmosquitto_connect(&options, &callbacks, &reason) else {
      let number = errno
      throw ConnectionFailure(text: reason.map { String(cString: $0) } ?? String(cString: strerror(number)))
    }
    self.handle = handle
    inbox.handle = handle
  }

  deinit { cmosquitto_free(handle) }

  private static func inbox(_ context: UnsafeMutableRawPointer?) -> Inbox? {
    context.map { Unmanaged<Inbox>.fromOpaque($0).takeUnretainedValue() }
  }

  /// The socket; -1 when it is closed.
  var socket: Int32 { cmosquitto_socket(handle) }

  /// True if something waits to be written.
  var wantsWrite: Bool { cmosquitto_wants_write(handle) }

  /// Reads and writes without waiting; false when the connection is over.
  func turn(readable: Bool, writable: Bool) -> Bool {
    let result = cmosquitto_turn(handle, readable, writable)
    if result != 0 { endReason = String(cString: cmosquitto_text(result)) }
    return result == 0
  }

  /// Returns the incidents since it was asked last.
  func takeIncidents() -> [Incident] {
    defer { inbox.incidents = [] }
    return inbox.incidents
  }

  /// The result of a message that was handed over.
  enum Publication {
    case underway(message: Int32)
    /// No broker will ever take it: it is too large, or its topic is none.
    case impossible(String)
    case failed(String)
  }

  func publish(_ message: BridgeMessage, quality: Int32 = 1) -> Publication {
    var number: Int32 = 0
    let result = cmosquitto_publish(
      handle, &number, message.topic, message.payload, Int32(clamping: message.payload.count), quality,
      message.isRetained)
    switch result {
    case 0: return .underway(message: number)
    // MOSQ_ERR_INVAL, MOSQ_ERR_PAYLOAD_SIZE, MOSQ_ERR_MALFORMED_UTF8, MOSQ_ERR_OVERSIZE_PACKET
    case 3, 9, 18, 25: return .impossible(String(cString: cmosquitto_text(result)))
    default: return .failed(String(cString: cmosquitto_text(result)))
    }
  }

  func subscribe(to filter: String) { _ = cmosquitto_subscribe(handle, filter) }

  /// Ends it without a last will.
  func disconnect() { _ = cmosquitto_goodbye(handle) }
}

/// Why a broker cannot be reached.
struct ConnectionFailure: Error {
  let text: String
}
