import Synchronization
import WaymarkSystem

/// Bounds the memory of pictures in transit: room for one is taken before a byte of it is read, in the order in which it was asked
/// for.
package final class PictureMemoryBudget: Sendable {
  /// Room for a picture, given back by `release`, or when nobody holds it any more.
  package final class Reservation: Sendable {
    private let pictureBudget: PictureMemoryBudget
    private let number: Int
    /// The bytes taken; -1 once they are given back.
    private let bytes: Atomic<Int>

    fileprivate init(_ pictureBudget: PictureMemoryBudget, number: Int, bytes: Int) {
      self.pictureBudget = pictureBudget
      self.number = number
      self.bytes = Atomic(bytes)
    }

    deinit { release() }

    /// Keeps as much as the picture turned out to have, and gives the rest back. It never grows.
    package func shrink(to size: Int) {
      let before = bytes.load(ordering: .relaxed)
      guard size < before, bytes.compareExchange(expected: before, desired: size, ordering: .relaxed).exchanged else {
        return
      }
      pictureBudget.change { $0.resize(number, to: size) }
    }

    /// Gives the room back.
    package func release() {
      if bytes.exchange(-1, ordering: .relaxed) >= 0 { pictureBudget.change { $0.leave(number) } }
    }
  }

  private struct State {
    var budget: ByteBudget
    var lastNumber = 0
    var waiting: [Int: (bytes: Int, continuation: CheckedContinuation<Reservation?, Never>)] = [:]
  }

  private let state: Mutex<State>
  private let bytes: Int
  /// The user of all pictures: they have one server.
  private static let user: UInt32 = 1

  /// Room for so many bytes, for which at most so many pictures wait.
  package init(bytes: Int, waiting limit: Int) {
    self.bytes = bytes
    state = Mutex(
      State(budget: ByteBudget(limit: bytes, share: bytes, reserve: 0, waitingLimit: limit, waitingShare: limit)))
  }

  /// Takes room, or waits for it a while; `nil` when there is none.
  package func reserve(_ wanted: Int, within pictureTimeout: Duration) async -> Reservation? {
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
        // Each picture is a client of its own: they wait in the order in which they came.
        let request = ByteBudget.Request(id: number, client: number, user: Self.user, bytes: bytes)
        let answer = state.withLock { state in
          let answer = state.budget.ask(request)
          if answer == .waits { state.waiting[number] = (bytes, continuation) }
          return answer
        }
        switch answer {
        case .granted: continuation.resume(returning: Reservation(self, number: number, bytes: bytes))
        case .refused: continuation.resume(returning: nil)
        case .waits:
          // Before it waited there was nobody to be told.
          if Task.isCancelled { giveUp(number) }
        }
      }
    } onCancel: {
      giveUp(number)
    }
  }

  private func giveUp(_ number: Int) {
    guard let waiting = state.withLock({ $0.waiting.removeValue(forKey: number) }) else { return }
    waiting.continuation.resume(returning: nil)
    // The requests behind it may fit.
    change { $0.leave(number) }
  }

  /// Changes who holds how much, and hands room to those whose turn it is then.
  private func change(_ body: (inout ByteBudget) -> [Int]) {
    let next = state.withLock { state in
      body(&state.budget).compactMap { number in state.waiting.removeValue(forKey: number).map { (number, $0) } }
    }
    for (number, waiting) in next {
      waiting.continuation.resume(returning: Reservation(self, number: number, bytes: waiting.bytes))
    }
  }
}
