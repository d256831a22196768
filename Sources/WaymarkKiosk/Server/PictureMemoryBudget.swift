import Synchronization

/// Bounds the memory of pictures in transit: room for one is taken before a byte of it is read, in the order in which it was asked
/// for.
final class PictureMemoryBudget: Sendable {
  /// Room for a picture, given back by `release`, or when nobody holds it any more.
  final class Reservation: Sendable {
    private let pictureBudget: PictureMemoryBudget
    /// The bytes taken; 0 once they are given back.
    private let bytes: Atomic<Int>

    fileprivate init(_ pictureBudget: PictureMemoryBudget, bytes: Int) {
      self.pictureBudget = pictureBudget
      self.bytes = Atomic(bytes)
    }

    deinit { release() }

    /// Keeps as much as the picture turned out to have, and gives the rest back. It never grows.
    func shrink(to size: Int) {
      let before = bytes.load(ordering: .relaxed)
      guard size < before, bytes.compareExchange(expected: before, desired: size, ordering: .relaxed).exchanged else {
        return
      }
      pictureBudget.release(before - size)
    }

    /// Gives the room back.
    func release() {
      let held = bytes.exchange(0, ordering: .relaxed)
      if held > 0 { pictureBudget.release(held) }
    }
  }

  private struct State {
    var free: Int
    var lastNumber = 0
    var waiting: [(number: Int, bytes: Int, continuation: CheckedContinuation<Reservation?, Never>)] = []
  }

  private let state: Mutex<State>
  private let bytes: Int
  private let limit: Int

  init(bytes: Int, waiting limit: Int) {
    self.bytes = bytes
    self.limit = limit
    state = Mutex(State(free: bytes))
  }

  /// Takes room, or waits for it a while; `nil` when there is none.
  func reserve(_ wanted: Int, within pictureTimeout: Duration) async -> Reservation? {
    let bytes = min(wanted, bytes)
    let number = state.withLock { state in
      state.lastNumber += 1
      return state.lastNumber
    }
    let timer = Task { [weak self] in
      try await Task.sleep(for: pictureTimeout)
      self?.giveUp(number)
    }
    defer { timer.cancel() }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let now = state.withLock { state -> Reservation?? in
          if state.waiting.isEmpty, state.free >= bytes {
            state.free -= bytes
            return .some(Reservation(self, bytes: bytes))
          }
          guard state.waiting.count < limit else { return .some(nil) }
          state.waiting.append((number, bytes, continuation))
          return nil
        }
        if let now { continuation.resume(returning: now) }
        // Before it waited there was nobody to be told.
        if Task.isCancelled { giveUp(number) }
      }
    } onCancel: {
      giveUp(number)
    }
  }

  private func giveUp(_ number: Int) {
    let continuation = state.withLock { state in
      state.waiting.firstIndex { $0.number == number }.map { state.waiting.remove(at: $0).continuation }
    }
    continuation?.resume(returning: nil)
    // The requests behind it may fit.
    release(0)
  }

  private func release(_ bytes: Int) {
    let next = state.withLock { state in
      state.free += bytes
      var next: [(Int, CheckedContinuation<Reservation?, Never>)] = []
      while let first = state.waiting.first, state.free >= first.bytes {
        state.free -= first.bytes
        next.append((first.bytes, first.continuation))
        state.waiting.removeFirst()
      }
      return next
    }
    for (bytes, continuation) in next { continuation.resume(returning: Reservation(self, bytes: bytes)) }
  }
}
