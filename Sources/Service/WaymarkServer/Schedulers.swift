package import NIOCore
package import NIOPosix
import WaymarkProtocol
package import WaymarkSystem

// MARK: - Pictures

/// Schedules the pictures that clients send or request: limits their memory, and decides the order in which they are processed. The file
/// also has the order of requests (`RequestScheduler`), the queue of both (`FairQueue`), and the actor on whose loop they run
/// (`ServiceActor`).
@ServiceActor
package final class PictureScheduler {
  package struct Limits: Hashable, Sendable {
    /// The maximum bytes of all pictures that are being received, processed or sent.
    package var bytes = 64 << 20
    /// The maximum bytes of the pictures of one user.
    package var share = 48 << 20
    /// The number of clients that may wait for memory, half of it for one user. Twice as many requests may wait for a thread.
    package var waiting = 32
    /// The maximum seconds that a request waits.
    var waitLimit = 20.0
    /// The number of pictures that are processed at the same time.
    package var workers = PictureScheduler.threads.numberOfThreads

    package init() {}
  }

  /// The threads that process pictures. Each picture can occupy a thread, and a worker, for half a minute.
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
  /// The stop signals of the pictures being processed, by client.
  private var atWork: [Int: StopSignal] = [:]

  package init(limits: Limits = Limits()) {
    self.limits = limits
    budget = ByteBudget(
      limit: limits.bytes, share: limits.share, reserve: limits.bytes / 4, waitingLimit: limits.waiting,
      waitingShare: (limits.waiting + 1) / 2)
  }

  /// The bytes reserved for pictures.
  package var bytes: Int { budget.bytes }

  private static let busy = ServiceError(
    .busy, "Too many pictures are being processed.", hint: "Send it again later.")
  private static let gone = ServiceError(.badPicture, "The client disconnected.", hint: "Send the picture again.")

  // MARK: Memory

  /// The memory reserved for a picture, which `deinit` releases.
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

    /// Changes the reserved bytes, and resumes requests for which there is now enough memory.
    @ServiceActor
    package func resize(to bytes: Int) { scheduler.begin(scheduler.budget.resize(id, to: bytes)) }
  }

  /// Waits for memory, for `Limits.waitLimit` seconds at most.
  ///
  /// - Throws: `ServiceError` with the code `busy` if there is not enough memory.
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

  /// Resumes the requests that were granted memory.
  private func begin(_ ids: [Int]) {
    for granted in ids {
      let reservation = Reservation(id: granted, scheduler: self)
      asking.removeValue(forKey: granted)?.continuation.resume(returning: reservation)
    }
  }

  // MARK: Work

  /// Runs the work on a picture on one of `threads` when it is the client's turn, one picture per client at a time.
  ///
  /// - Parameter work: the blocking work; its signal is raised when the client disconnects.
  /// - Throws: `ServiceError` with the code `busy` after too long a wait, and the errors of `work`.
  package func work<T: Sendable>(
    for connection: Connection, _ work: @escaping @Sendable (StopSignal) throws -> T
  ) async throws -> T {
    guard !connection.isClosing else { throw Self.gone }
    let user = connection.peer.user
    let own = jobs.count(of: user)
    // As for memory, root and the first request of each user can use twice as many slots.
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

  // MARK: Disconnected clients

  /// Discards the waiting work of a client that disconnected, and stops its running work.
  func left(_ connection: Connection) {
    let client = connection.number
    for (id, asked) in asking where asked.client == client { endAsking(id, Self.gone) }
    drop(Self.gone) { $0.client == client }
    atWork[client]?.raise()
  }
}

// MARK: - The queue in which owners take turns

/// A queue in which the owners of elements take turns, so that each waits for at most one element of every other owner.
struct FairQueue<Owner: Hashable, Element> {
  private var lines: [Owner: [Element]] = [:]
  /// The owners with waiting elements; the first owner is next.
  private var order: [Owner] = []
  private(set) var count = 0

  /// Adds an element after its owner's other elements.
  mutating func append(_ element: Element, of owner: Owner) {
    if lines[owner] == nil { order.append(owner) }
    lines[owner, default: []].append(element)
    count += 1
  }

  /// Returns the number of waiting elements of an owner.
  func count(of owner: Owner) -> Int { lines[owner]?.count ?? 0 }

  /// Removes and returns the first element of the next owner for which `isReady` returns true; owners without such an element
  /// are skipped.
  mutating func next(where isReady: (Element) -> Bool = { _ in true }) -> Element? {
    for (place, owner) in order.enumerated() {
      guard let index = lines[owner]?.firstIndex(where: isReady), let element = lines[owner]?.remove(at: index) else {
        continue
      }
      count -= 1
      order.remove(at: place)
      if lines[owner]?.isEmpty ?? true { lines[owner] = nil } else { order.append(owner) }
      return element
    }
    return nil
  }

  /// Removes and returns the elements for which `isOver` returns true.
  mutating func removeAll(where isOver: (Element) -> Bool) -> [Element] {
    var removed: [Element] = []
    for owner in order {
      removed += lines[owner]?.filter(isOver) ?? []
      lines[owner]?.removeAll(where: isOver)
      if lines[owner]?.isEmpty ?? true { lines[owner] = nil }
    }
    order.removeAll { lines[$0] == nil }
    count -= removed.count
    return removed
  }
}

// MARK: - Requests

/// Decides the order in which connections with requests are served: users take turns, and so do the connections of each user.
///
/// However many requests wait, the loop continues every few milliseconds with its other work: events, new connections, reads and
/// writes.
@ServiceActor
final class RequestScheduler {
  /// The seconds for which requests are processed before the loop continues with other work.
  private static let slice = 0.002
  /// The minimum seconds for other work. Without a pause, the loop would only run its own tasks and never poll its sockets.
  private static let pause = 0.0001

  private var waiting = FairQueue<UInt32, Connection>()
  /// The numbers of the waiting connections.
  private var numbers: Set<Int> = []
  private var isRunning = false

  /// Adds a connection with requests that can be processed.
  func add(_ connection: Connection) {
    guard numbers.insert(connection.number).inserted else { return }
    waiting.append(connection, of: connection.peer.user)
    guard !isRunning else { return }
    isRunning = true
    ServiceActor.execute { self.run() }
  }

  private func run() {
    let end = MonotonicClock.now + Self.slice
    while let connection = waiting.next() {
      numbers.remove(connection.number)
      if connection.takeTurn(), numbers.insert(connection.number).inserted {
        waiting.append(connection, of: connection.peer.user)
      }
      guard MonotonicClock.now < end else { break }
    }
    guard waiting.count > 0 else {
      isRunning = false
      return
    }
    ServiceActor.schedule(after: Self.pause) { self.run() }
  }
}

// MARK: - The event loop

/// The actor of the server, which runs on one event loop, so that the state of connections needs no locks and
/// events have one order.
///
/// Lanes (the threads that process frames) and sources have their own threads, and pass values with `ServiceActor.execute`.
@globalActor
package actor ServiceActor {
  package static let shared = ServiceActor()
  /// The event loop's thread, which exists as long as the process.
  package static let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
  package static let loop: any EventLoop = group.next()

  package nonisolated var unownedExecutor: UnownedSerialExecutor { Self.loop.executor.asUnownedSerialExecutor() }

  /// Calls `body`; the caller must be on the loop.
  ///
  /// `MainActor` is the only global actor with a static `assumeIsolated`. The cast below removes the isolation from the closure's
  /// type; the precondition guarantees that the caller is isolated.
  static func assumeIsolated<R>(_ body: @ServiceActor () throws -> R) rethrows -> R {
    loop.preconditionInEventLoop()
    return try withoutActuallyEscaping(body) { escaping in
      try unsafeBitCast(escaping, to: (() throws -> R).self)()
    }
  }

  /// Runs `body` on the loop later, in the order of the calls.
  package static func execute(_ body: @escaping @ServiceActor @Sendable () -> Void) {
    loop.execute { assumeIsolated(body) }
  }

  /// Waits, even if the task was cancelled, so that the service can stop in order.
  package static func pause(_ seconds: Double) async {
    await withCheckedContinuation { continuation in schedule(after: seconds) { continuation.resume() } }
  }

  /// Runs `body` on the loop after a number of seconds.
  @discardableResult
  package static func schedule(after seconds: Double, _ body: @escaping @ServiceActor @Sendable () -> Void)
    -> Scheduled<
      Void
    >
  {
    loop.scheduleTask(in: .nanoseconds(Int64(max(0, seconds) * 1e9))) { assumeIsolated(body) }
  }
}
