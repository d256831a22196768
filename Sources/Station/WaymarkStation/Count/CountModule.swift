import NIOCore
import WaymarkConfiguration
import WaymarkImage
import WaymarkOnboarding
package import WaymarkProtocol
package import WaymarkServer
package import WaymarkService
import WaymarkSystem

/// `count.*`: counts the codes that a camera sees while it is moved along a shelf, each copy once.
///
/// Each camera has at most one count, which all clients share. Below are its parts: `CountDesk` counts on the lane's thread,
/// `CountMembers` are the clients, and `ArticleText` is the part of a content that may be published.
@ServiceActor
package final class CountModule: ServiceModule {
  private unowned let hub: Hub
  private let scans: ScanModule
  private let codes: CodesModule
  private lazy var desk = CountDesk { [weak self] in self?.take($0) }
  /// The name of the camera; nil if there is only one camera.
  private let camera: String?
  private var members = CountMembers()
  private var pace = UpdatePace(interval: 0.2)
  private var tally = CountDesk.Tally(run: 0)
  private var published = CountDesk.Tally(run: 0)
  /// The publishable text of each counted content.
  private var texts: [CodeContent: ArticleText] = [:]
  /// The articles with which the count is compared: the articles of the configuration until a client sends `count.expected`; nil
  /// without either.
  private var expected: [ExpectedArticle]?
  private var isStopped = false

  /// Creates a module that counts the codes that `codes` follows.
  ///
  /// - Parameter expected: the articles with which counts are compared until a client sets them.
  package init(hub: Hub, scans: ScanModule, codes: CodesModule, camera: String?, expected: [ExpectedArticle]? = nil) {
    self.hub = hub
    self.expected = expected
    self.scans = scans
    self.codes = codes
    self.camera = camera
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
    methods.add(CountExpectedRequest.self) { [weak self] request, _ in
      guard let self, !self.isStopped else { throw ServiceError.stopping }
      self.expected = try request.checked()
      if let now = self.described(compared: true) { self.hub.publish(now, camera: self.camera) }
      return Empty()
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

  package func contribute(to snapshot: inout Snapshot) { snapshot.count = described(compared: true) }

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
    publish()
    return try state()
  }

  private func state() throws -> CountState {
    guard let described = described(compared: true) else { throw ServiceError.stopping }
    return described
  }

  private func clear() {
    tally = CountDesk.Tally(run: desk.begin())
    published = tally
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
    guard !newest.isAlike(published), let wait = pace.change(at: MonotonicClock.now) else { return }
    guard wait > 0 else { return publish() }
    ServiceActor.schedule(after: wait) { [weak self] in self?.publish() }
  }

  private func publish() {
    pace.report(at: MonotonicClock.now)
    published = tally
    if let described = described() { hub.publish(described, camera: camera) }
  }

  /// The state of the count, with the expected articles if `compared` is true; nil without a count.
  private func described(compared: Bool = false) -> CountState? {
    members.count.map { count in
      CountState(
        count: count, total: tally.copies.reduce(0) { $0 + $1.amount }, views: tally.views,
        stretches: tally.stretches, codes: tally.copies.map { CountedArticle($0, texts[$0.content]) },
        expected: compared ? expected : nil, full: tally.isFull ? true : nil)
    }
  }
}

extension WaymarkService.Feature {
  /// Counting the codes of a shelf.
  package static let count: Self = {
    var feature = Self()
    feature.keys = CountSettings.keys
    feature.problems = CountSettings.problems
    feature.makeForCamera = { hub, camera, configuration in
      CountModule(
        hub: hub, scans: camera.scans, codes: camera.codes, camera: camera.capture.camera,
        expected: try CountSettings(configuration).articles())
    }
    return feature
  }()
}

/// Counts on the thread that follows codes, because aligning a view may block longer than the service's actor may be blocked.
final class CountDesk: CodeTap {
  /// The count after a frame.
  struct Tally: Sendable {
    /// The number of the count. A tally from before a reset may arrive after the reset, and is ignored because of its old number.
    var run: Int
    var copies: [CodeCounter.Copies] = []
    var views = 0
    var stretches = 0
    var isFull = false
    /// The numbers of the counted codes in the frame.
    var counted: Set<Int> = []

    /// Returns whether two tallies publish the same list of codes.
    func isAlike(_ other: Tally) -> Bool {
      copies == other.copies && stretches == other.stretches && isFull == other.isFull
    }
  }

  private struct State {
    var run = 0
    var counter: CodeCounter?
    /// The content of each followed code, by its number.
    var contents: [Int: (content: CodeContent, isMatrix: Bool)] = [:]
    var generation: Int?
  }

  private let state = Monitor(State())
  /// Called after each frame.
  private let onTally: @ServiceActor @Sendable (Tally) -> Void

  init(onTally: @escaping @ServiceActor @Sendable (Tally) -> Void) { self.onTally = onTally }

  /// Begins an empty count.
  ///
  /// - Returns: its number.
  func begin() -> Int {
    state.withLock { state in
      state.counter = CodeCounter()
      state.run += 1
      return state.run
    }
  }

  func end() { state.withLock { $0.counter = nil } }

  func take(_ codes: FollowedCodes, width: Int, height: Int, frame: Int) -> TappedCodes? {
    let tally = counted(codes, width: width, height: height, frame: frame)
    return tally.map { [onTally] tally in TappedCodes(counted: tally.counted) { onTally(tally) } }
  }

  private func counted(_ followed: FollowedCodes, width: Int, height: Int, frame: Int) -> Tally? {
    state.withLock { state in
      if state.generation != followed.generation {
        state.generation = followed.generation
        for number in state.contents.keys { state.counter?.lost(number) }
        state.contents = [:]
      }
      for code in followed.found {
        state.contents[code.number] = (CodeContent(symbology: code.symbology, text: code.text), code.isMatrix)
      }
      for number in followed.lost {
        state.contents[number] = nil
        state.counter?.lost(number)
      }
      guard state.counter != nil else { return nil }
      let codes = followed.seen.compactMap { seen in
        state.contents[seen.number].map {
          ObservedCode(content: $0.content, quad: seen.corners, number: seen.number, isMatrix: $0.isMatrix)
        }
      }
      state.counter?.look(codes, width: Double(width), height: Double(height), frame: frame)
      guard let counter = state.counter else { return nil }
      return Tally(
        run: state.run, copies: counter.result, views: counter.views, stretches: counter.stretches,
        isFull: counter.isFull, counted: Set(codes.lazy.compactMap(\.number).filter(counter.counts)))
    }
  }
}

/// The clients of a count, and the time at which it ends.
package struct CountMembers: Sendable {
  /// Seconds for which a count is kept after its last client has lost the connection.
  static let grace = 30.0

  /// The id of the running count; nil without a running count.
  package private(set) var count: String?
  private var clients: Set<Int> = []
  /// The time at which the last client lost its connection.
  private var lostAt: Double?

  package init() {}

  /// Adds a client.
  ///
  /// - Parameters:
  ///   - wanted: the id of the count in which the client took part earlier; nil if it took part in none.
  ///   - new: the id for a new count.
  /// - Returns: the id of the count that ends, and whether a new count begins.
  package mutating func join(_ client: Int, wanted: String?, new: String) -> (ended: String?, isNew: Bool) {
    defer {
      clients.insert(client)
      lostAt = nil
    }
    // A count without clients is continued only by a client that names it. Any other client is another person and begins an empty
    // count.
    if let count, !clients.isEmpty || wanted == count { return (nil, false) }
    defer { count = new }
    return (count, true)
  }

  package func contains(_ client: Int) -> Bool { clients.contains(client) }

  /// Removes a client.
  ///
  /// - Returns: the id of the count if the client was its last, so that the count ends; otherwise nil.
  package mutating func end(_ client: Int) -> String? {
    guard clients.remove(client) != nil, clients.isEmpty else { return nil }
    return finish()
  }

  /// Removes a client that lost its connection.
  ///
  /// - Returns: the seconds after which to call `expire`; nil if other clients remain.
  package mutating func lose(_ client: Int, at now: Double) -> Double? {
    guard clients.remove(client) != nil, clients.isEmpty else { return nil }
    lostAt = now
    return Self.grace
  }

  /// Ends the count if it had no client for the grace period.
  ///
  /// - Returns: the id of the ended count; nil if the count continues.
  package mutating func expire(at now: Double) -> String? {
    guard let lostAt, now - lostAt >= Self.grace else { return nil }
    return finish()
  }

  /// Ends the count and removes its clients.
  ///
  /// - Returns: the id of the ended count; nil without a running count.
  package mutating func finish() -> String? {
    defer { self = CountMembers() }
    return count
  }
}

/// The part of a counted content that is published: secrets, such as the password of a network, are left out.
struct ArticleText: Hashable {
  /// The content; nil if it may hold a secret or is too long.
  var text: String?
  /// The content if it may be the number or the name of an article; otherwise nil.
  var name: String?
  /// True if the content may be sent to observers.
  var isHarmless: Bool

  /// The largest size of a published text in bytes: numbers of articles and addresses are shorter.
  private static let longestText = 160
  /// The largest number of characters of a name.
  private static let longestName = 64
  /// The lower-case words before the first colon: of texts about people, and of other texts that are not names.
  private static let contactWords: Set<String> = ["mecard", "begin"]
  private static let otherWords: Set<String> = ["smsto", "sms", "mailto", "matmsg", "tel", "geo", "http", "https"]
  /// Kinds whose text may be shown unless it holds a secret or begins with one of `contactWords`.
  private static let openKinds: Set<PayloadKind> = [.text, .url, .gs1DigitalLink]

  /// Decides which parts of a content are published.
  ///
  /// - Parameter isHarmless: true if observers may see the content.
  init(_ content: String, isHarmless: Bool, policy: OnboardingPolicy) {
    let inspection = Inspection(ScannedCode(content), policy: policy)
    let kind = inspection.payload.kind
    let word = content.prefix { $0 != ":" }
    let scheme = word.endIndex == content.endIndex ? "" : word.lowercased()
    let isData = content.first { !$0.isWhitespace }.map { "{[<".contains($0) } ?? true
    let isOpen =
      isHarmless
      || !isData && !Self.contactWords.contains(scheme) && Self.openKinds.contains(kind)
        && !inspection.holdsSecret(content)
    text = isOpen && content.utf8.count <= Self.longestText ? content : nil
    let isName = !isData && kind == .text && !Self.contactWords.contains(scheme) && !Self.otherWords.contains(scheme)
    name = isName && content.count <= Self.longestName ? text : nil
    self.isHarmless = isHarmless
  }
}

extension CountedArticle {
  /// Creates the entry of a content in the published list; its text is nil if unknown.
  init(_ copies: CodeCounter.Copies, _ text: ArticleText?) {
    self.init(
      symbology: copies.content.symbology, text: text?.text, name: text?.name, amount: copies.amount)
    isHarmless = text?.isHarmless ?? false
  }
}
