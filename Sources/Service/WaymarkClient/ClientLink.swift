import NIOCore
import Synchronization
import WaymarkProtocol
import WaymarkSystem

/// The state that the channel's thread and the callers share: requests that wait for their answer, and received data.
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

  /// True if the channel should read no further for now.
  var shouldRest: Bool {
    state.withLock { $0.carriesPictures } ? pictures.isFull : events.isFull
  }

  /// Makes a request's id and the place for its answer.
  func newID() -> Int {
    state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
  }

  /// From now on pictures are expected.
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

  /// Takes a line; the header of a picture is given back, its bytes follow.
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
      let told = try? JSONValueDecoder.decode(ServiceError.self, from: error)
      answer = .failure(told ?? ClientError.badAnswer("an error without a code"))
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

  /// The connection is over.
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
