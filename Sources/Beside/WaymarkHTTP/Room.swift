import Synchronization

/// A quota of a limited resource that clients share, such as connections or bytes in transit.
///
/// A holder gets at most its share, and a part is reserved for operators, so that clients cannot exclude each other. Requests that
/// do not fit may wait. Requests of one holder are granted in their order. Among holders, the holder with the least amount comes
/// first.
package final class Room: Sendable {
  /// A client that takes room.
  package struct Holder: Hashable, Sendable {
    package let name: String
    package let isOperator: Bool

    package init(name: String, isOperator: Bool) {
      self.name = name
      self.isOperator = isOperator
    }

    /// The holder of a server that does not distinguish its clients.
    package static let only = Holder(name: "", isOperator: true)
  }

  /// A part of the room, which is taken until `release` or `deinit`.
  ///
  /// `deinit` is needed for an answer that is dropped because its head cannot be written.
  package final class Place: Sendable {
    private let room: Room
    private let holder: Holder
    /// The amount that is taken; -1 after `release`.
    private let amount: Atomic<Int>

    fileprivate init(_ room: Room, _ holder: Holder, _ amount: Int) {
      self.room = room
      self.holder = holder
      self.amount = Atomic(amount)
    }

    deinit { release() }

    /// Reduces the amount, such as to the size of a picture; a larger size is ignored.
    package func shrink(to size: Int) {
      let before = amount.load(ordering: .relaxed)
      guard size < before, amount.compareExchange(expected: before, desired: size, ordering: .relaxed).exchanged else {
        return
      }
      room.free(before - size, of: holder)
    }

    /// Returns the amount to the room; further calls have no effect.
    package func release() {
      let before = amount.exchange(-1, ordering: .relaxed)
      if before > 0 { room.free(before, of: holder) }
    }
  }

  private struct Request {
    let number: Int
    let holder: Holder
    let amount: Int
    let continuation: CheckedContinuation<Place?, Never>
    let timer: Task<Void, any Error>
  }

  private struct State {
    var held: [Holder: Int] = [:]
    var waiting: [Request] = []
    var lastNumber = 0
    /// The number of requests that were refused.
    var refused = 0

    mutating func enter(_ amount: Int, _ holder: Holder) { held[holder, default: 0] += amount }
  }

  /// The name of the resource in error messages, such as `event streams`.
  package let name: String
  private let total: Int
  private let share: Int
  private let reserve: Int
  private let waitingLimit: Int
  private let state = Mutex(State())

  /// - Parameters:
  ///   - share: the most for one holder; nil for the total.
  ///   - reserve: the part that only operators can take.
  ///   - waiting: the most requests of one holder that may wait.
  package init(_ name: String, total: Int, share: Int? = nil, reserve: Int = 0, waiting: Int = 0) {
    self.name = name
    self.total = total
    self.share = min(max(share ?? total, 1), total)
    self.reserve = reserve
    waitingLimit = waiting
  }

  /// The amount that is taken, the total, and the number of requests that were refused.
  package var figures: (taken: Int, total: Int, refused: Int) {
    state.withLock { ($0.held.values.reduce(0, +), total, $0.refused) }
  }

  /// Takes room at once; nil if there is too little, or if requests of the holder wait. An amount above the share of a
  /// holder is reduced to the share.
  package func take(_ wanted: Int = 1, for holder: Holder = .only) -> Place? {
    let place = place(min(wanted, share), for: holder)
    if place == nil { state.withLock { $0.refused += 1 } }
    return place
  }

  private func place(_ amount: Int, for holder: Holder) -> Place? {
    let isTaken = state.withLock { state in
      guard !state.waiting.contains(where: { $0.holder == holder }), fits(amount, holder, state) else { return false }
      state.enter(amount, holder)
      return true
    }
    return isTaken ? Place(self, holder, amount) : nil
  }

  /// Waits for room and takes it; nil after the timeout, and if too many requests of the holder wait.
  package func take(_ wanted: Int, for holder: Holder = .only, within timeout: Duration) async -> Place? {
    let amount = min(wanted, share)
    let number = state.withLock { state in
      state.lastNumber += 1
      return state.lastNumber
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let place = place(amount, for: holder)
        let waits =
          place == nil
          && state.withLock { state in
            guard state.waiting.count(where: { $0.holder == holder }) < waitingLimit else {
              state.refused += 1
              return false
            }
            let timer = Task { [weak self] in
              try await Task.sleep(for: timeout)
              self?.giveUp(number)
            }
            state.waiting.append(
              Request(number: number, holder: holder, amount: amount, continuation: continuation, timer: timer))
            return true
          }
        guard waits else { return continuation.resume(returning: place) }
        // Room may have become free, or the task may have been cancelled, before the request was stored.
        if Task.isCancelled { giveUp(number) } else { grant() }
      }
    } onCancel: {
      giveUp(number)
    }
  }

  private func giveUp(_ number: Int) {
    let request = state.withLock { state in
      let request = state.waiting.firstIndex { $0.number == number }.map { state.waiting.remove(at: $0) }
      if request != nil { state.refused += 1 }
      return request
    }
    guard let request else { return }
    request.timer.cancel()
    request.continuation.resume(returning: nil)
    // Requests that waited behind the removed request may fit now.
    grant()
  }

  private func free(_ amount: Int, of holder: Holder) {
    state.withLock { state in
      let rest = state.held[holder, default: 0] - amount
      state.held[holder] = rest > 0 ? rest : nil
    }
    grant()
  }

  /// Grants every waiting request that fits.
  private func grant() {
    let granted = state.withLock { state in
      var granted: [Request] = []
      var blocked: Set<Holder> = []
      while let index = state.waiting.indices.filter({ !blocked.contains(state.waiting[$0].holder) })
        .min(by: { state.held[state.waiting[$0].holder, default: 0] < state.held[state.waiting[$1].holder, default: 0] }
        )
      {
        let request = state.waiting[index]
        guard fits(request.amount, request.holder, state) else {
          blocked.insert(request.holder)
          continue
        }
        state.enter(request.amount, request.holder)
        granted.append(state.waiting.remove(at: index))
      }
      return granted
    }
    for request in granted {
      request.timer.cancel()
      request.continuation.resume(returning: Place(self, request.holder, request.amount))
    }
  }

  private func fits(_ amount: Int, _ holder: Holder, _ state: State) -> Bool {
    let taken = state.held.values.reduce(0, +)
    guard taken + amount <= total, state.held[holder, default: 0] + amount <= share else { return false }
    if holder.isOperator { return true }
    let observers = state.held.reduce(0) { $1.key.isOperator ? $0 : $0 + $1.value }
    return observers + amount <= total - reserve
  }
}
