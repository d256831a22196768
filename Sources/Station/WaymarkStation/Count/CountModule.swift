import NIOCore
import WaymarkBarcodes
import WaymarkOnboarding
package import WaymarkProtocol
package import WaymarkServer
package import WaymarkService
import WaymarkSystem

/// `count.*`: the codes that a camera sees while it is moved along a shelf, each copy once.
///
/// There is one count of a camera; all who take part see the same.
@ServiceActor
package final class CountModule: ServiceModule {
  private unowned let hub: Hub
  private let scans: ScanModule
  private let codes: CodesModule
  private let desk: CountDesk
  /// The camera that it counts in, where there are several.
  private let camera: String?
  private var members = CountMembers()
  private var pace = UpdatePace(interval: 0.2)
  private var tally = CountDesk.Tally(run: 0)
  private var told = CountDesk.Tally(run: 0)
  /// The texts that are told of the contents that count.
  private var texts: [CodeContent: ArticleText] = [:]
  private var isStopped = false

  /// The module of `hub`, which counts what `codes` follows.
  package init(hub: Hub, scans: ScanModule, codes: CodesModule, camera: String?) {
    self.hub = hub
    self.scans = scans
    self.codes = codes
    self.camera = camera
    let relay = WeakReference<CountModule>()
    desk = CountDesk { relay.object?.take($0) }
    relay.object = self
    codes.use(desk)
  }

  package var features: [String] { ["count"] }

  package func register(in methods: inout MethodTable) {
    methods.add(CountBeginRequest.self) { [weak self] request, connection in
      guard let self, !self.isStopped else { throw ServiceError.stopping }
      return try self.begin(request, connection)
    }
    methods.add(CountResetRequest.self) { [weak self] _, connection in
      guard let self, !self.isStopped else { throw ServiceError.stopping }
      return try self.reset(connection)
    }
    methods.add(CountEndRequest.self) { [weak self] _, connection in
      guard let self else { throw ServiceError.stopping }
      if let count = self.members.end(connection.number) { self.finish(count, .ended) }
      return Empty()
    }
  }

  package func connectionClosed(_ connection: Connection) {
    guard let wait = members.lose(connection.number, at: MonotonicClock.now) else { return }
    ServiceActor.schedule(after: wait) { [weak self] in
      guard let self, let count = self.members.expire(at: MonotonicClock.now) else { return }
      self.finish(count, .disconnected)
    }
  }

  package func stop() {
    isStopped = true
    if let count = members.finish() { finish(count, .stopping) }
  }

  package func contribute(to snapshot: inout Snapshot) { snapshot.count = described }

  private func begin(_ request: CountBeginRequest, _ connection: Connection) throws -> CountState {
    let symbologies =
      try request.symbologies.map(ScanWire.symbologies) ?? scans.rules.settings.barcodeSymbologies
    let new = "n" + String(UInt64.random(in: .min ... .max), radix: 36)
    let (ended, isNew) = members.join(connection.number, wanted: request.count, new: new)
    if let ended { finish(ended, .disconnected) }
    if isNew {
      clear()
      codes.follow(symbologies, for: .tap)
    }
    return try state()
  }

  private func reset(_ connection: Connection) throws -> CountState {
    guard members.contains(connection.number) else {
      throw ServiceError(.noSession, "This client takes part in no count.", hint: "Begin one with count.begin.")
    }
    clear()
    tell()
    return try state()
  }

  private func state() throws -> CountState {
    guard let described else { throw ServiceError.stopping }
    return described
  }

  private func clear() {
    tally = CountDesk.Tally(run: desk.begin())
    told = tally
    texts = [:]
  }

  private func finish(_ count: String, _ reason: CountEnding) {
    desk.end()
    codes.unfollow(.tap)
    hub.publish(CountEnded(count: count, reason: reason), camera: camera)
  }

  // MARK: Frames

  private func take(_ newest: CountDesk.Tally) {
    guard newest.run == tally.run, members.count != nil else { return }
    tally = newest
    for copies in newest.copies where texts[copies.content] == nil {
      texts[copies.content] = ArticleText(
        copies.content.text, isHarmless: copies.number.map(codes.isHarmless) ?? false,
        policy: scans.rules.judge.policy)
    }
    guard !newest.isAlike(told), let wait = pace.change(at: MonotonicClock.now) else { return }
    guard wait > 0 else { return tell() }
    ServiceActor.schedule(after: wait) { [weak self] in self?.tell() }
  }

  private func tell() {
    pace.tell(at: MonotonicClock.now)
    told = tally
    if let described { hub.publish(described, camera: camera) }
  }

  private var described: CountState? {
    members.count.map { count in
      CountState(
        count: count, total: tally.copies.reduce(0) { $0 + $1.amount }, views: tally.views,
        stretches: tally.stretches, codes: tally.copies.map { CountedArticle($0, texts[$0.content]) },
        full: tally.isFull ? true : nil)
    }
  }
}

extension Feature {
  /// The codes of a shelf are counted.
  package static let count: Feature = {
    var feature = Feature()
    feature.makeForCamera = { hub, camera in
      CountModule(hub: hub, scans: camera.scans, codes: camera.codes, camera: camera.capture.camera)
    }
    return feature
  }()
}
