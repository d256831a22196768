import Synchronization

/// A bounded queue between the channel and whoever reads; it says when the channel should rest.
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
  /// Called when the channel may go on.
  private let resume: Mutex<(@Sendable () -> Void)?> = Mutex(nil)

  init(high: Int) { self.high = high }

  func onResume(_ body: @escaping @Sendable () -> Void) { resume.withLock { $0 = body } }

  /// True if the channel should rest.
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

  /// The next element; `nil` at the end. One reader at a time.
  func next() async throws -> Element? {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        self.serve(continuation)
        // Before it waited there was nobody to be told.
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
