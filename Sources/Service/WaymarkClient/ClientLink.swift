import NIOCore
import Synchronization
public import WaymarkProtocol
public import WaymarkSystem

/// The state shared by the channel's thread and the callers: requests that wait for a reply, and received data. The
/// file also has the channel's handler (`ClientChannelHandler`), the queue of received data (`Inbox`), and the errors
/// of clients.
final class ClientLink: Sendable {
  private struct State {
    var lastID = 0
    var waiting: [Int: CheckedContinuation<JSONValue, any Error>] = [:]
    var end: ClientError?
    var closeReason: CloseReason?
    var carriesPictures = false
    var pictureID: Int?
  }

  private let state = Mutex(State())
  let events = Inbox<ReceivedEvent>(high: 4096)
  let pictures = Inbox<ReceivedPicture>(high: 2)

  /// True if the channel should pause reading.
  var shouldRest: Bool {
    state.withLock { $0.carriesPictures } ? pictures.isFull : events.isFull
  }

  /// Returns an id that no other request of the connection has.
  func newID() -> Int {
    state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
  }

  /// Expects pictures from now on, in reply to the request `id`.
  func expectPictures(id: Int) {
    state.withLock { state in
      state.carriesPictures = true
      state.pictureID = id
    }
  }

  func wait(for id: Int, _ continuation: CheckedContinuation<JSONValue, any Error>) {
    let end = state.withLock { state -> ClientError? in
      if let end = state.end { return end }
      state.waiting[id] = continuation
      return nil
    }
    if let end { continuation.resume(throwing: end) }
  }

  func giveUp(_ id: Int, _ error: any Error) {
    state.withLock { $0.waiting.removeValue(forKey: id) }?.resume(throwing: error)
  }

  /// Handles a received line; returns the header if the bytes of a picture follow.
  ///
  /// - Throws: `badAnswer` if the line is not JSON or announces a picture of impossible size, or the error of decoding the header.
  func received(line: ByteBufferView) throws -> MediaHeader? {
    let value: JSONValue
    do {
      value = try JSONParser.parse(line)
    } catch {
      throw ClientError.badAnswer("a line that is not JSON (\(error.problem))")
    }
    if value["event"]?.string != nil {
      receive(event: value, line: line)
      return nil
    }
    if value["size"]?.int != nil, value["format"] != nil {
      let header = try JSONValueDecoder.decode(MediaHeader.self, from: value)
      guard (0...(1 << 30)).contains(header.size) else { throw ClientError.badAnswer("a picture of impossible size") }
      return header
    }
    receive(reply: value)
    return nil
  }

  private func receive(event value: JSONValue, line: ByteBufferView) {
    let event = (try? Event(line: value)) ?? Event(body: .unknown(value["event"]?.string ?? "", value))
    if case .connectionClosed(let closed) = event.body { state.withLock { $0.closeReason = closed.reason } }
    events.push(ReceivedEvent(event: event, line: String(decoding: line, as: UTF8.self)))
  }

  private func receive(reply value: JSONValue) {
    let answer: Result<JSONValue, any Error>
    if let error = value["error"] {
      let decoded = try? JSONValueDecoder.decode(ServiceError.self, from: error)
      answer = .failure(decoded ?? ClientError.badAnswer("an error without a code"))
    } else {
      answer = .success(value["result"] ?? .null)
    }
    let id = value["id"]?.int
    if let id, let waiter = state.withLock({ $0.waiting.removeValue(forKey: id) }) {
      waiter.resume(with: answer)
    } else if case .failure(let error) = answer, id == state.withLock({ $0.pictureID }) {
      pictures.finish(.failure(error))
    }
  }

  func received(_ picture: ReceivedPicture) { pictures.push(picture) }

  func end(_ result: Result<Void, any Error>) {
    let (waiting, error) = state.withLock { state -> ([CheckedContinuation<JSONValue, any Error>], ClientError) in
      let error: ClientError
      if let reason = state.closeReason {
        error = .closed(reason)
      } else if case .failure(let cause as ClientError) = result {
        error = cause
      } else {
        error = .lost
      }
      if state.end == nil { state.end = error }
      defer { state.waiting = [:] }
      return (Array(state.waiting.values), state.end ?? error)
    }
    for waiter in waiting { waiter.resume(throwing: error) }
    events.finish(.failure(error))
    pictures.finish(.failure(error))
  }
}

// MARK: - The channel

/// Splits the received bytes into lines and pictures, and passes them on.
final class ClientChannelHandler: ChannelDuplexHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  /// The greatest length of a line from the service, in bytes.
  static let lineLimit = 64 << 20

  private let link: ClientLink
  private var buffer = ByteBuffer()
  private var scanned = 0
  private var header: MediaHeader?

  init(link: ClientLink) { self.link = link }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    var bytes = unwrapInboundIn(data)
    if buffer.readableBytes == 0 {
      buffer = bytes
      scanned = 0
    } else {
      buffer.discardReadBytes()
      buffer.writeBuffer(&bytes)
    }
    do {
      while try step() {}
    } catch {
      link.end(.failure(error))
      context.close(promise: nil)
    }
  }

  /// Handles one line or picture; returns false if more bytes are needed.
  private func step() throws -> Bool {
    if let header {
      guard let picture = buffer.readBytes(length: header.size) else { return false }
      self.header = nil
      scanned = 0
      link.received(ReceivedPicture(header: header, bytes: picture))
      return true
    }
    let view = buffer.readableBytesView
    guard let end = view[(view.startIndex + scanned)...].firstIndex(of: UInt8(ascii: "\n")) else {
      scanned = view.count
      guard scanned <= Self.lineLimit else { throw ClientError.badAnswer("a line longer than allowed") }
      return false
    }
    let line = view[view.startIndex..<end]
    scanned = 0
    buffer.moveReaderIndex(forwardBy: end - view.startIndex + 1)
    header = try link.received(line: line)
    return true
  }

  func read(context: ChannelHandlerContext) {
    if !link.shouldRest { context.read() }
  }

  func channelInactive(context: ChannelHandlerContext) {
    link.end(.failure(ClientError.lost))
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}

// MARK: - The queue of received values

/// A queue between the channel and its reader. When the queue has `high` elements, the channel pauses reading.
final class Inbox<Element: Sendable>: Sendable {
  private struct State {
    var elements: [Element] = []
    var head = 0
    var waiter: CheckedContinuation<Element?, any Error>?
    var end: Result<Void, any Error>?
    var isPaused = false

    var count: Int { elements.count - head }

    mutating func take() -> Element? {
      guard head < elements.count else { return nil }
      defer {
        head += 1
        if head > 256, head > elements.count / 2 {
          elements.removeFirst(head)
          head = 0
        }
      }
      return elements[head]
    }
  }

  private let state = Mutex(State())
  private let high: Int
  /// Called when the channel may resume reading.
  private let resume: Mutex<(@Sendable () -> Void)?> = Mutex(nil)

  init(high: Int) { self.high = high }

  func onResume(_ body: @escaping @Sendable () -> Void) { resume.withLock { $0 = body } }

  /// True if the queue has at least `high` elements; the channel then pauses until `resume` is called.
  var isFull: Bool {
    state.withLock { state in
      state.isPaused = state.count >= high
      return state.isPaused
    }
  }

  func push(_ element: Element) {
    let waiter = state.withLock { state -> CheckedContinuation<Element?, any Error>? in
      guard state.end == nil else { return nil }
      if let waiter = state.waiter {
        state.waiter = nil
        return waiter
      }
      state.elements.append(element)
      return nil
    }
    waiter?.resume(returning: element)
  }

  func finish(_ end: Result<Void, any Error>) {
    let waiter = state.withLock { state -> CheckedContinuation<Element?, any Error>? in
      guard state.end == nil else { return nil }
      state.end = end
      defer { state.waiter = nil }
      return state.waiter
    }
    switch end {
    case .success: waiter?.resume(returning: nil)
    case .failure(let error): waiter?.resume(throwing: error)
    }
  }

  private enum Step {
    case deliver(Element, resumes: Bool)
    case end(Result<Void, any Error>)
    case wait
  }

  /// Returns the next element; `nil` at the end without an error. For one reader at a time.
  func next() async throws -> Element? {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        self.serve(continuation)
        // A cancellation before the continuation was stored had no effect.
        if Task.isCancelled { self.cancel() }
      }
    } onCancel: {
      self.cancel()
    }
  }

  private func serve(_ continuation: CheckedContinuation<Element?, any Error>) {
    let step = state.withLock { state -> Step in
      if let element = state.take() {
        let resumes = state.isPaused && state.count < high / 2
        if resumes { state.isPaused = false }
        return .deliver(element, resumes: resumes)
      }
      if let end = state.end { return .end(end) }
      state.waiter = continuation
      return .wait
    }
    switch step {
    case .deliver(let element, let resumes):
      if resumes {
        let body = resume.withLock { $0 }
        body?()
      }
      continuation.resume(returning: element)
    case .end(.success): continuation.resume(returning: nil)
    case .end(.failure(let error)): continuation.resume(throwing: error)
    case .wait: break
    }
  }

  private func cancel() {
    let waiter = state.withLock { state -> CheckedContinuation<Element?, any Error>? in
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume(throwing: CancellationError())
  }
}

// MARK: - Received values and errors

/// An event and the line in which it was received.
public struct ReceivedEvent: Hashable, Sendable {
  /// The decoded event; `unknown` if this client cannot decode it.
  public let event: Event
  /// The line as received, without its line feed.
  public let line: String
}

/// A picture from a media connection.
public struct ReceivedPicture: Hashable, Sendable {
  /// The header before the picture.
  public let header: MediaHeader
  /// The bytes of the picture, in the format that the header names.
  public let bytes: [UInt8]
}

/// An error of a connection to the service: it cannot be made, has ended, or carried an invalid message.
public typealias ClientError = Problem<ClientErrorCode>

/// The codes of `ClientError`: `noService`, `notPermitted`, `connectionLost`, `badAnswer`, and the words of
/// `CloseReason`, such as `slowConsumer`.
public struct ClientErrorCode: OpenProblemCode {
  /// The code as the word that programs compare.
  public let rawValue: String

  /// Creates a code from its word.
  public init(rawValue: String) { self.rawValue = rawValue }
}

extension Problem where Kind == ClientErrorCode {
  static func noService(_ path: String, _ reason: String) -> ClientError {
    ClientError(
      code: "noService", message: "No service answers on \(path): \(reason).",
      hint: "Start it (waymark serve, or systemctl start waymark), or name its socket: --socket PATH.")
  }

  static func connectRefused(_ path: String, _ reason: String) -> ClientError {
    ClientError(
      code: "notPermitted", message: "The socket \(path) may not be opened: \(reason).",
      hint: "Join the group that owns the socket, and log in again.")
  }

  static func closed(_ reason: CloseReason) -> ClientError {
    let hint =
      switch reason {
      case .roleChanged: "Connect again: the configuration now assigns your user another role."
      case .notPermitted: "Connect as a user or group that the configuration names under roles."
      case .slowConsumer: "Read faster, or subscribe to fewer events."
      case .bodyTimeout: "Send the bytes of a picture directly after its request."
      case .lineTooLong: "Keep requests under 64 KiB."
      case .tooManyClients: "Close other clients, or raise clients.maximum."
      case .stopping: "Wait for the service to come back."
      }
    return ClientError(
      code: ClientErrorCode(rawValue: reason.rawValue),
      message: "The service closed the connection: \(reason.rawValue).", hint: hint)
  }

  static var lost: ClientError {
    ClientError(code: "connectionLost", message: "The connection to the service was lost.", hint: "Connect again.")
  }

  static func badAnswer(_ what: String) -> ClientError {
    ClientError(
      code: "badAnswer", message: "The service sent an invalid reply: \(what).",
      hint: "The versions of service and client may be incompatible.")
  }
}
