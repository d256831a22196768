import WaymarkImage

/// Every code on a shelf once, over a camera that moves along it, from codes that are followed from frame to frame: a value, without
/// camera and clock.
///
/// `CodeCounter` knows of each view only what was read in it; here a code keeps its number while it is followed, so that copies of a single
/// content are told apart as long as one stays in view. What was out of sight is known again by its place. Places lie on charts, in pixels of
/// the first view of each; a view is laid over its chart by a similarity of least squares over the corners of the codes that it shares with it.
package struct FollowedCounter: Sendable {
  /// How many copies of a content count.
  package struct Copies: Hashable, Sendable {
    package let content: CodeContent
    package internal(set) var amount: Int
    /// The number under which one of them was followed when the content counted first; nil where none was in view then.
    package let number: Int?
  }

  /// Views that must have shown a code before it counts.
  private static let agreement = 2
  /// Views that must agree where a code that was followed parts from those around it: it may have leapt to a copy that stays where it is, or
  /// have slid along its own bars for a few views.
  private static let surety = 8
  /// Frames after which nobody knows where the camera is, and over which it is taken to go on as it went.
  private static let memory = 30
  private static let momentum = 12
  /// How far copies of one content move between two views at most, in widths of the view, where nothing else was followed; how far where no
  /// other copy is anywhere near; and how far what is followed.
  private static let reach = 0.1
  private static let farReach = 0.4
  private static let leap = 0.25
  /// In how many views one is laid over the other charts, too.
  private static let joinInterval = 10
  private var places = FollowedPlaces()
  /// The places of the codes that are followed now, by their numbers.
  private var held: [Int: Int] = [:]
  /// Where the codes of the last view were in it, by their numbers.
  private var before: [Int: Quadrilateral] = [:]
  /// The numbers of codes that parted from those around them.
  private var parted: Set<Int> = []
  private var charts = 0
  private var chart = -1
  /// Where the last view lay, which frame that was, and how far it goes from one frame to the next.
  private var map = Homography.identity
  private var last: Int?
  private var step = Point2.zero
  /// The contents that count, in the order in which they began to.
  private var order: [Copies] = []

  /// Views that were looked at.
  package private(set) var views = 0
  /// True where something was seen for which there is no room.
  package var isFull: Bool { places.isFull }

  /// Nothing counted.
  package init() {}

  /// The contents that count, in the order in which they began to.
  package var result: [Copies] { order.filter { $0.amount > 0 } }

  /// The stretches between which the camera's position was lost: where there are several, copies may count twice.
  package var stretches: Int { Set(places.all.lazy.filter(\.counts).map(\.chart)).count }

  /// Returns whether a code that is followed counts already.
  package func counts(_ number: Int) -> Bool { held[number].map { places[$0].counts } ?? false }

  /// A code is no longer followed: its number comes never again.
  package mutating func lost(_ number: Int) {
    held[number] = nil
    parted.remove(number)
  }

  /// Takes a view.
  package mutating func look(_ view: FollowedView) {
    views += 1
    let seen = view.whole
    guard !seen.isEmpty else { return }
    let home = chart
    let found = mapByNumbers(seen, view) ?? mapByContents(seen, view) ?? begin()
    let passed = passed(view.frame)
    if home == chart, let passed, passed <= Self.momentum {
      step = Point2(found.row0.z - map.row0.z, found.row1.z - map.row1.z) / Double(passed)
    } else {
      step = .zero
    }
    map = found
    last = view.frame
    note(seen)
    before = Dictionary(seen.map { ($0.number, $0.quad) }) { first, _ in first }
    if charts > 1, views % Self.joinInterval == 0 { join(seen) }
    recount(seen)
  }

  /// Frames since the last view; nil where there was none, or the camera numbers its frames from the beginning again.
  private func passed(_ frame: Int) -> Int? { last.flatMap { frame > $0 ? frame - $0 : nil } }

  // MARK: Where a view lies

  /// The map by the numbers of codes: what was followed from the last view tells how the camera moved, and matrix codes whose places are
  /// known tell where it is. Linear codes say only how it moved, for where they end is less certain.
  private mutating func mapByNumbers(_ seen: [FollowedSighting], _ view: FollowedView) -> Homography? {
    var pairs: [(number: Int, now: Quadrilateral, then: Quadrilateral)] = []
    if let passed = passed(view.frame), passed <= Self.momentum {
      for code in seen {
        guard let then = before[code.number],
          code.quad.center.distance(to: then.center) <= Self.leap * view.width
        else { continue }
        pairs.append((code.number, code.quad, then))
      }
    }
    let motion = FollowedPlaces.fit(pairs.map { ($0.now, $0.then) })
    // A code that was out of sight, or leapt to a copy of itself, has to be found by its place.
    for code in seen {
      let isSteady = pairs.contains { pair in
        pair.number == code.number && motion.map { FollowedPlaces.isNear($0, pair.now, pair.then, 0.5) } ?? false
      }
      guard !isSteady else { continue }
      if motion != nil, before[code.number] != nil { parted.insert(code.number) }
      held[code.number] = nil
    }
    guard let motion else { return nil }
    let expected = map * motion
    var sure: [(Quadrilateral, Quadrilateral)] = []
    for code in seen {
      guard let place = held[code.number], places[place].chart == chart else { continue }
      guard FollowedPlaces.isNear(expected, code.quad, places[place].quad) else {
        parted.insert(code.number)
        held[code.number] = nil
        continue
      }
      if code.isMatrix { sure.append((code.quad, places[place].quad)) }
    }
    return FollowedPlaces.fit(sure) ?? expected
  }

  /// The map by contents, where nothing was followed here: as near as possible to where the camera was, or by two different codes at
  /// least.
  private mutating func mapByContents(_ seen: [FollowedSighting], _ view: FollowedView) -> Homography? {
    if let passed = passed(view.frame), passed <= Self.memory {
      let expected = Homography.translation(step * Double(min(passed, Self.momentum))) * map
      if let found = places.align(seen, on: chart, expected: expected) {
        let shift = FollowedPlaces.shift(found.map, expected, at: found.pairs[0].code.quad.center)
        if places.contentCount(of: found) > 1 || shift <= Self.reach * view.width
          || shift <= Self.farReach * view.width && places.isAlone(found, within: 2.5 * shift)
        {
          return found.map
        }
      }
      // Nothing that is known where it should be: these are others.
      if passed <= Self.momentum { return expected }
    }
    for candidate in stride(from: charts - 1, through: 0, by: -1) {
      guard let found = places.align(seen, on: candidate, expected: nil) else { continue }
      chart = candidate
      return found.map
    }
    return nil
  }

  private mutating func begin() -> Homography {
    // A chart without places is none: the next one has its number.
    chart = (places.all.lazy.map(\.chart).max().map { max($0, -1) } ?? -1) + 1
    charts = chart + 1
    last = nil
    return .identity
  }

  // MARK: What is where

  /// Notes where everything is, and what is new.
  private mutating func note(_ seen: [FollowedSighting]) {
    let known = places.index(of: chart)
    var taken = Set(seen.compactMap { held[$0.number] })
    for code in seen {
      let quad = map.apply(code.quad)
      var place = held[code.number]
      if let place, places[place].chart != chart { continue }
      if place == nil {
        place = places.nearest((known[code.content] ?? []).lazy.filter { !taken.contains($0) }, to: quad)
        // A code that was read in two ways is one.
        if place == nil, places.nearest(taken.filter { places[$0].content == code.content }.sorted(), to: quad) != nil {
          continue
        }
        let needed = parted.contains(code.number) ? Self.surety : Self.agreement
        guard let found = place ?? places.add(code.content, quad, on: chart, needed: needed) else { continue }
        place = found
        taken.insert(found)
        held[code.number] = found
      }
      guard let place else { continue }
      places.sight(place, at: quad)
    }
  }

  /// Lays other charts over this one where a view shows two different codes of both.
  private mutating func join(_ seen: [FollowedSighting]) {
    for other in 0..<charts where other != chart {
      guard places.count(on: other) >= 2, let found = places.align(seen, on: other, expected: nil),
        let back = found.map.inverse
      else { continue }
      let twins = places.merge(other, into: chart, by: map * back)
      for (number, place) in held { held[number] = twins[place] ?? place }
    }
  }

  private mutating func recount(_ seen: [FollowedSighting]) {
    var amounts: [CodeContent: Int] = [:]
    for place in places.all where place.counts { amounts[place.content, default: 0] += 1 }
    for index in order.indices { order[index].amount = amounts.removeValue(forKey: order[index].content) ?? 0 }
    guard !amounts.isEmpty else { return }
    for code in seen {
      guard let amount = amounts.removeValue(forKey: code.content) else { continue }
      order.append(Copies(content: code.content, amount: amount, number: code.number))
    }
    // Charts that became one.
    for (content, amount) in amounts.sorted(by: { $0.key.text < $1.key.text }) {
      order.append(Copies(content: content, amount: amount, number: nil))
    }
  }
}
