import NIOCore
package import NIOPosix
import WaymarkProtocol
package import WaymarkSystem

/// Pictures of clients, from the first byte to the answer: how much memory they take, and in which order they are worked on.
@ServiceActor
package final class PictureScheduler {
  /// The limits of pictures.
  package struct Limits: Hashable, Sendable {
    /// Bytes of all pictures that are being received, worked on or sent.
    package var bytes = 64 << 20
    /// Bytes of one user's.
    package var share = 48 << 20
    /// Clients that may wait for room, and for a worker; of one user half as many.
    package var waiting = 32
    /// Seconds that they wait at most.
    var waitLimit = 20.0
    /// Pictures that are worked on at a time.
    package var workers = PictureScheduler.threads.numberOfThreads

    /// The usual limits.
    package init() {}
  }

  /// The threads that pictures are worked on: each picture may keep one, and a worker, for half a minute.
  package nonisolated static let threads: NIOThreadPool = {
    let pool = NIOThreadPool(numberOfThreads: 2)
    pool.start()
    return pool
  }()

  private struct Job {
    let id: Int
    let client: Int
    let begin: @ServiceActor (StopSignal) -> Void
    let fail: @ServiceActor (ServiceError) -> Void
  }

  private let limits: Limits
  private var budget: ByteBudget
  private var lastID = 0
  private var asking: [Int: (client: Int, continuation: CheckedContinuation<Reservation, any Error>)] = [:]
  private var jobs = FairQueue<UInt32, Job>()
  /// The pictures being worked on, by client.
  private var atWork: [Int: StopSignal] = [:]

  package init(limits: Limits = Limits()) {
    self.limits = limits
    budget = ByteBudget(
      limit: limits.bytes, share: limits.share, reserve: limits.bytes / 4, waitingLimit: limits.waiting,
      waitingShare: (limits.waiting + 1) / 2)
  }

  /// Bytes of pictures that are held.
  package var bytes: Int { budget.bytes }

  private static let busy = ServiceError(
    .busy, "Too many pictures are being processed.", hint: "Send it again later.")
  private static let gone = ServiceError(.badPicture, "The client disconnected.", hint: "Send the picture again.")

  // MARK: Room

  /// Room for one picture; given back when nobody holds it any more.
  package final class Reservation: Sendable {
    private let id: Int
    private let scheduler: PictureScheduler

    fileprivate init(id: Int, scheduler: PictureScheduler) {
      self.id = id
      self.scheduler = scheduler
    }

    deinit {
      let (id, scheduler) = (id, scheduler)
      ServiceActor.execute { scheduler.release(id) }
    }

    /// The picture turned out to have another size.
    @ServiceActor
    package func resize(to bytes: Int) { scheduler.begin(scheduler.budget.resize(id, to: bytes)) }
  }

  /// Waits for room, a while at most.
  ///
  /// - Throws: `ServiceError` with the code `busy` when there is none.
  package func reservation(for bytes: Int, of connection: Connection) async throws -> Reservation {
    guard !connection.isClosing else { throw Self.gone }
    lastID += 1
    let id = lastID
    let ask = ByteBudget.Request(id: id, client: connection.number, user: connection.peer.user, bytes: bytes)
    switch budget.ask(ask) {
    case .granted: return Reservation(id: id, scheduler: self)
    case .refused: throw Self.busy
    case .waits: break
    }
    let timer = ServiceActor.schedule(after: limits.waitLimit) { self.endAsking(id, Self.busy) }
    defer { timer.cancel() }
    return try await withCheckedThrowingContinuation { asking[id] = (connection.number, $0) }
  }

  private func endAsking(_ id: Int, _ error: ServiceError) {
    guard let (_, continuation) = asking.removeValue(forKey: id) else { return }
    release(id)
    continuation.resume(throwing: error)
  }

  private func release(_ id: Int) { begin(budget.leave(id)) }

  /// Hands room to those whose turn it is.
  private func begin(_ ids: [Int]) {
    for granted in ids {
      let reservation = Reservation(id: granted, scheduler: self)
      asking.removeValue(forKey: granted)?.continuation.resume(returning: reservation)
    }
  }

  // MARK: Work

  /// Has a picture worked on, when it is its client's turn: one of each client at a time.
  ///
  /// - Parameter work: blocks; it is told when its client has gone.
  /// - Throws: `ServiceError` with the code `busy` when it has waited too long; what `work` throws.
  package func work<T: Sendable>(
    for connection: Connection, _ work: @escaping @Sendable (StopSignal) throws -> T
  ) async throws -> T {
    guard !connection.isClosing else { throw Self.gone }
    let user = connection.peer.user
    let own = jobs.count(of: user)
    // As with room: the first one of every user, and root's, have places that others cannot take.
    let places = user == 0 || own == 0 ? 4 * limits.waiting : 2 * limits.waiting
    guard jobs.count < places, own < limits.waiting else { throw Self.busy }
    lastID += 1
    let (id, client) = (lastID, connection.number)
    let timer = ServiceActor.schedule(after: limits.waitLimit) { self.drop(Self.busy) { $0.id == id } }
    defer { timer.cancel() }
    return try await withCheckedThrowingContinuation { continuation in
      let job = Job(
        id: id, client: client,
        begin: { stop in
          Task { @ServiceActor in
            let result: Result<T, any Error>
            do {
              result = .success(try await PictureScheduler.threads.runIfActive { try work(stop) })
            } catch {
              result = .failure(error)
            }
            self.atWork[client] = nil
            continuation.resume(with: result)
            self.dispatch()
          }
        }, fail: { continuation.resume(throwing: $0) })
      jobs.append(job, of: user)
      dispatch()
    }
  }

  private func dispatch() {
    while atWork.count < limits.workers, let job = jobs.next(where: { atWork[$0.client] == nil }) {
      let stop = StopSignal()
      atWork[job.client] = stop
      job.begin(stop)
    }
  }

  private func drop(_ error: ServiceError, where isOver: (Job) -> Bool) {
    for job in jobs.removeAll(where: isOver) { job.fail(error) }
  }

  // MARK: The end

  /// A client is gone: nothing of it waits or is worked on any longer.
  func left(_ connection: Connection) {
    let client = connection.number
    for (id, asked) in asking where asked.client == client { endAsking(id, Self.gone) }
    drop(Self.gone) { $0.client == client }
    atWork[client]?.raise()
  }
}
