import WaymarkImage

/// How often a content was counted.
package struct CountedContent: Hashable, Sendable {
  package var content: CodeContent
  package var amount: Int
  /// The first view that showed it.
  var firstView: Int
}

/// Every code on a shelf once, over a camera that moves along it: a value, without camera and clock.
///
/// A code says what it is, not which of many copies. Copies are told apart by their places: each view is laid over the places that are
/// known by the codes that it shares with them (`ViewAlignment`), and what lies nowhere yet is another place. Where a view shares
/// nothing with what is known, a new chart begins; charts become one when a view shows codes of both.
package struct CodeCounter: Sendable {
  /// The identity by which two codes are counted once.
  package enum Identity: String, CaseIterable, Sendable {
    /// The same content at the same place: copies count.
    case place
    /// The same content: a code counts once, however many copies there are.
    case content
  }

  /// Views that must have shown a code before it counts: a misreading is seldom seen twice at one place.
  package let agreement: Int
  private var places: [CountedCode] = []
  private var views = 0
  private var chart = -1
  private var charts = 0
  /// Where the last view lay on the chart, and where the one before.
  private var last: (map: Homography, view: Int)?
  private var step = Homography.identity

  /// Views after which a place that was expected is no longer: the camera may be anywhere.
  private static let memory = 15
  /// Views over which the camera is taken to go on as it went.
  private static let momentum = 5
  /// How far copies of one content move from view to view at most, in sizes of the view.
  private static let reach = 0.1
  /// The chart of what turned out to be another place.
  private static let nowhere = -1

  /// Nothing counted.
  package init(agreement: Int) { self.agreement = max(1, agreement) }

  /// The stretches between which the camera's position was lost; where there are several, copies may count twice.
  package var stretches: Int { Set(places.lazy.filter { $0.sightings >= agreement }.map(\.chart)).count }

  /// A view without any connection to those before, such as a picture of another shelf.
  package mutating func endStretch() {
    last = nil
    chart = -1
  }

  /// Takes a view.
  ///
  /// - Parameters:
  ///   - codes: what was read in it.
  ///   - size: its longer side in pixels.
  package mutating func look(_ codes: [ObservedCode], size: Double) {
    defer { views += 1 }
    let codes = Self.single(codes.filter { $0.quad.isFinite && $0.quad.size > 1 })
    guard !codes.isEmpty else { return }
    let isFresh = last.map { views - $0.view <= Self.memory } ?? false
    // A camera goes on as it went, for a few views.
    let isGoingOn = last.map { views - $0.view <= Self.momentum } ?? false
    let expected = last.map { last in
      isGoingOn ? (last.view..<views).reduce(last.map) { map, _ in map * step } : last.map
    }
    var aligned: [(chart: Int, alignment: ViewAlignment)] = []
    for candidate in Set(places.lazy.map(\.chart).filter { $0 >= 0 }).sorted(by: {
      ($0 == chart ? -1 : $0) < ($1 == chart ? -1 : $1)
    }) {
      let isCurrent = candidate == chart && isFresh
      guard let found = align(codes, on: candidate, expected: isCurrent ? expected : nil, reach: Self.reach * size)
      else {
        continue
      }
      // Nobody knows where the camera is: two contents must agree, for one may hang anywhere.
      guard isCurrent || found.contents >= 2 else { continue }
      // A picture of another shelf is not another view of this one.
      guard candidate == chart || chart >= 0 else { continue }
      aligned.append((candidate, found))
    }
    guard let home = aligned.first else {
      if let expected, isGoingOn {
        // Nothing that is known where it should be: the camera went on as it went, and these are others.
        note(codes, ViewAlignment(assumed: expected), on: chart)
      } else {
        begin(codes)
      }
      return
    }
    guard aligned.count > 1 else {
      note(codes, home.alignment, on: home.chart)
      return
    }
    for other in aligned.dropFirst() { merge(other.chart, other.alignment, into: home.chart, home.alignment) }
    let whole = align(codes, on: home.chart, expected: home.alignment.map, reach: Self.reach * size)
    note(codes, whole ?? home.alignment, on: home.chart)
  }

  /// Returns the counted codes, in the order in which they were seen first.
  package func result(by identity: Identity) -> [CountedContent] {
    var order: [CodeContent] = []
    var counted: [CodeContent: CountedContent] = [:]
    for place in places where place.sightings >= agreement {
      guard let sofar = counted[place.content] else {
        order.append(place.content)
        counted[place.content] = CountedContent(content: place.content, amount: 1, firstView: place.firstView)
        continue
      }
      if identity == .place { counted[place.content]?.amount = sofar.amount + 1 }
    }
    return order.compactMap { counted[$0] }
  }

  /// The places that count, in the order in which they were seen first.
  package var counted: [CountedCode] { places.filter { $0.sightings >= agreement } }

  // MARK: Charts

  private func align(_ codes: [ObservedCode], on chart: Int, expected: Homography?, reach: Double) -> ViewAlignment? {
    let indices = places.indices.filter { places[$0].chart == chart }
    guard var found = ViewAlignment(of: codes, on: indices.map { places[$0] }, expected: expected, reach: reach) else {
      return nil
    }
    let pairs = found.pairs
    found.pairs = pairs.map { ($0.code, indices[$0.place]) }
    return found
  }

  /// A code that was read twice in one view, by two ways of reading, is one.
  private static func single(_ codes: [ObservedCode]) -> [ObservedCode] {
    codes.reduce(into: []) { kept, code in
      let isDouble = kept.contains {
        $0.content == code.content
          && $0.quad.center.distance(to: code.quad.center) < 0.5 * min($0.quad.size, code.quad.size)
      }
      if !isDouble { kept.append(code) }
    }
  }

  private mutating func begin(_ codes: [ObservedCode]) {
    chart = charts
    charts += 1
    last = (.identity, views)
    step = .identity
    for code in codes { add(code, .identity) }
  }

  private mutating func add(_ code: ObservedCode, _ map: Homography) {
    places.append(
      CountedCode(content: code.content, chart: chart, quad: map.apply(code.quad), sightings: 1, firstView: views))
  }

  private mutating func note(_ codes: [ObservedCode], _ alignment: ViewAlignment, on home: Int) {
    if home == chart, let last, views - last.view == 1, let back = last.map.inverse {
      step = (back * alignment.map).normalized
    } else {
      step = .identity
    }
    chart = home
    last = (alignment.map, views)
    var paired: Set<Int> = []
    for pair in alignment.pairs {
      paired.insert(pair.code)
      let seen = alignment.map.apply(codes[pair.code].quad)
      let weight = 1 / Double(min(places[pair.place].sightings, 8) + 1)
      places[pair.place].quad = places[pair.place].quad.moved(towards: seen, by: weight)
      places[pair.place].sightings += 1
    }
    for (index, code) in codes.enumerated() where !paired.contains(index) {
      guard alignment.map.apply(code.quad).isFinite else { continue }
      add(code, alignment.map)
    }
  }

  /// Lays one chart over another by a view that lies on both.
  private mutating func merge(
    _ other: Int, _ theirs: ViewAlignment, into home: Int, _ ours: ViewAlignment
  ) {
    guard let back = theirs.map.inverse else { return }
    let map = ours.map * back
    for index in places.indices where places[index].chart == other {
      let quad = map.apply(places[index].quad)
      let twin = places.indices.first {
        places[$0].chart == home && places[$0].content == places[index].content
          && places[$0].quad.center.distance(to: quad.center) <= ViewAlignment.tolerance * places[$0].quad.size
      }
      // Indices stay: what is a place that is known has no chart any more.
      if let twin {
        places[twin].sightings += places[index].sightings
        places[index].sightings = 0
      }
      places[index].chart = twin == nil && quad.isFinite ? home : Self.nowhere
      places[index].quad = quad
    }
  }
}
