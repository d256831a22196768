import Foundation
import WaymarkImage

/// Counts every code on a shelf once while a camera moves along the shelf.
///
/// Copies of a code differ only in their positions. A chart is a map of a part of the shelf, in pixels of its first view; a place
/// is the quadrilateral of one copy on the chart. A view is aligned with a chart by the codes that both contain, and every other
/// code of the view adds a place. A view that cannot be aligned begins another chart. Two charts are joined once a view shows codes
/// of both.
///
/// Codes without a number from the tracker are recognized by their contents and places. A followed code keeps its number, so that
/// copies of a single content are distinguished as long as one of them stays in view.
///
/// `CountReport` below is the report of a count.
package struct CodeCounter: Sendable {
  /// A content and the number of its places.
  package struct Copies: Hashable, Sendable {
    package let content: CodeContent
    package internal(set) var amount: Int
    /// The number of a followed copy when the content was first counted; nil if no copy was followed.
    package let number: Int?
  }

  /// If a followed code moved relative to the codes around it, this many views must show it at its place before it is counted:
  /// tracking may have jumped to a copy, or may slide along the bars for a few views.
  private static let partedAgreement = 8
  /// The number of frames without a view after which the camera's position is unknown, and the largest number of frames over which
  /// its movement is extrapolated.
  private static let memory = 30
  private static let momentum = 12
  /// The largest movements between two views, in widths of the view: of an alignment by a single content (`reach`), of an alignment
  /// whose code has no copy nearby (`farReach`), and of a followed code (`leap`).
  private static let reach = 0.1
  private static let farReach = 0.4
  private static let leap = 0.25
  /// The difference between the frame numbers of two successive pictures of `waymark count`.
  private static let pictureInterval = 2

  /// The number of views that must show a code at its place before it is counted. A misreading is seldom repeated at the same
  /// place.
  private let agreement: Int
  /// The number of views from one attempt to join charts to the next.
  private let joinInterval: Int
  private var places: CodePlaces
  /// The index in `places` of each followed code's place, by the code's number.
  private var held: [Int: Int] = [:]
  /// The corners of the followed codes in the last view, by the codes' numbers.
  private var before: [Int: Quadrilateral] = [:]
  /// The numbers of followed codes that moved relative to the codes around them.
  private var parted: Set<Int> = []
  private var charts = 0
  /// The current chart; -1 before the first view of a shelf.
  private var chart = -1
  /// The last view's map to pixels of the chart, its frame number, and the camera's movement per frame in pixels of the chart.
  private var map = Homography.identity
  private var last: Int?
  private var step = Point2.zero

  /// The number of views that were processed.
  package private(set) var views = 0
  /// The contents that were ever counted, in the order in which they were first counted.
  private var order: [Copies] = []

  /// Creates a counter of followed codes, of at most 1024 places and 500 contents.
  package init() {
    agreement = 2
    joinInterval = 10
    places = CodePlaces(maximumPlaces: 1024, maximumContents: 500)
  }

  /// Creates a counter of codes in pictures.
  ///
  /// - Parameter agreement: the number of views that must show a code at its place before it is counted.
  package init(agreement: Int) {
    self.agreement = max(1, agreement)
    joinInterval = 1
    places = CodePlaces(maximumPlaces: .max, maximumContents: .max)
  }

  /// True if a code was not counted because a bound was reached.
  package var isFull: Bool { places.isFull }

  /// The counted contents, in the order in which they were first counted.
  package var result: [Copies] { order.filter { $0.amount > 0 } }

  /// The counted contents, each with the index from 0 of the first view that showed it, in the order of these views.
  package var firstViews: [(content: CodeContent, amount: Int, view: Int)] {
    let counted = places.all.filter(\.counts)
    let first = Dictionary(counted.map { ($0.content, $0.firstView) }) { first, _ in first }
    let amounts = counted.reduce(into: [:]) { $0[$1.content, default: 0] += 1 }
    var listed: Set<CodeContent> = []
    return counted.map(\.content).filter { listed.insert($0).inserted }.map { ($0, amounts[$0] ?? 0, first[$0] ?? 0) }
  }

  /// The number of charts with counted codes. Between charts, the camera's position was lost, so that copies may be counted twice
  /// if there are several charts.
  package var stretches: Int { Set(places.all.lazy.filter(\.counts).map(\.chart)).count }

  /// Returns whether a followed code is counted.
  package func counts(_ number: Int) -> Bool { held[number].map { places[$0].counts } ?? false }

  /// Removes the number of a code that is no longer followed.
  package mutating func lost(_ number: Int) {
    held[number] = nil
    parted.remove(number)
  }

  /// Begins another shelf: the next view has no connection to earlier views.
  package mutating func endStretch() {
    last = nil
    chart = -1
  }

  /// Counts the codes read in a picture.
  ///
  /// - Parameter size: the longer side of the picture in pixels.
  package mutating func look(_ codes: [ObservedCode], size: Double) {
    look(codes, width: size, height: size, frame: Self.pictureInterval * views)
  }

  /// Counts the codes in a view.
  ///
  /// - Parameters:
  ///   - codes: the codes. Followed codes that are cut off by the view are ignored, because they are followed less reliably.
  ///   - width: the width of the view in pixels.
  ///   - height: the height of the view in pixels.
  ///   - frame: the number of the camera's frame.
  package mutating func look(_ codes: [ObservedCode], width: Double, height: Double, frame: Int) {
    views += 1
    let seen = codes.filter { code in
      code.quad.isFinite && code.quad.size > 1
        && (code.number == nil
          || code.quad.corners.allSatisfy { $0.x >= 0 && $0.y >= 0 && $0.x <= width && $0.y <= height })
    }
    guard !seen.isEmpty else { return }
    let home = chart
    let passed = last.flatMap { frame > $0 ? frame - $0 : nil }
    let found =
      mapByNumbers(seen, width: width, passed: passed) ?? mapByContents(seen, width: width, passed: passed) ?? begin()
    if home == chart, last != nil, let passed, passed <= Self.momentum {
      step = (found.apply(.zero) - map.apply(.zero)) / Double(passed)
    } else {
      step = .zero
    }
    map = found
    last = frame
    note(seen)
    before = Dictionary(seen.lazy.compactMap { code in code.number.map { ($0, code.quad) } }) { first, _ in first }
    if home >= 0, charts > 1, views % joinInterval == 0 { join(seen) }
    recount(seen)
  }

  // MARK: The map of a view to its chart

  /// Finds the map by the numbers of codes: codes followed from the last view show the camera's movement, and matrix codes at known
  /// places show its position. The ends of linear codes are not exact enough for a position.
  ///
  /// - Parameter passed: the number of frames since the last view; nil before the first view or if the camera restarted its
  ///   numbering.
  private mutating func mapByNumbers(_ seen: [ObservedCode], width: Double, passed: Int?) -> Homography? {
    var pairs: [Int: (now: Quadrilateral, then: Quadrilateral)] = [:]
    var moves: [(Quadrilateral, Quadrilateral)] = []
    if let passed, passed <= Self.momentum {
      for code in seen {
        guard let number = code.number, let then = before[number],
          code.quad.center.distance(to: then.center) <= Self.leap * width
        else { continue }
        pairs[number] = (code.quad, then)
        moves.append((code.quad, then))
      }
    }
    let motion = CodePlaces.fit(moves)
    // The place of a code that was out of view, or whose tracking jumped to a copy, has to be found again.
    for case let number? in seen.lazy.map(\.number) {
      if let pair = pairs[number], let motion, CodePlaces.isNear(motion, pair.now, pair.then, 0.5) { continue }
      if motion != nil, before[number] != nil { parted.insert(number) }
      held[number] = nil
    }
    guard let motion else { return nil }
    let expected = map * motion
    var anchors: [(Quadrilateral, Quadrilateral)] = []
    for code in seen {
      guard let number = code.number, let place = held[number], places[place].chart == chart else { continue }
      guard CodePlaces.isNear(expected, code.quad, places[place].quad) else {
        parted.insert(number)
        held[number] = nil
        continue
      }
      if code.isMatrix { anchors.append((code.quad, places[place].quad)) }
    }
    return CodePlaces.fit(anchors) ?? expected
  }

  /// Finds the map by the contents of codes: the map nearest to the expected map, or a map on which two different contents agree;
  /// nil if the view fits no chart.
  private mutating func mapByContents(_ seen: [ObservedCode], width: Double, passed: Int?) -> Homography? {
    guard chart >= 0 else { return nil }
    if let passed, passed <= Self.memory {
      let expected = Homography.translation(step * Double(min(passed, Self.momentum))) * map
      if let found = places.align(seen, on: chart, expected: expected) {
        let shift = CodePlaces.shift(found.map, expected, at: found.pairs[0].code.quad.center)
        if places.contentCount(of: found) > 1 || shift <= Self.reach * width
          || shift <= Self.farReach * width && places.isAlone(found, within: 2.5 * shift)
        {
          return found.map
        }
      }
      // None of the known codes is at its expected place, so the view shows other codes.
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
    // The number of a chart without places is used again.
    chart = (places.all.lazy.map(\.chart).max().map { max($0, -1) } ?? -1) + 1
    charts = chart + 1
    last = nil
    return .identity
  }

  // MARK: Places

  /// Updates the places of known codes, and adds new codes.
  private mutating func note(_ seen: [ObservedCode]) {
    let known = places.index(of: chart)
    var used = Set(seen.compactMap { $0.number.flatMap { held[$0] } })
    for code in seen {
      let quad = map.apply(code.quad)
      guard quad.isFinite else { continue }
      var place = code.number.flatMap { held[$0] }
      if let place, places[place].chart != chart { continue }
      if place == nil {
        place = places.nearest((known[code.content] ?? []).lazy.filter { !used.contains($0) }, to: quad)
        // The same code may be found twice in one view.
        if place == nil, places.nearest(used.filter { places[$0].content == code.content }.sorted(), to: quad) != nil {
          continue
        }
        let needed = code.number.map(parted.contains) ?? false ? Self.partedAgreement : agreement
        guard let found = place ?? places.add(code.content, quad, on: chart, needed: needed, view: views - 1) else {
          continue
        }
        place = found
        used.insert(found)
        if let number = code.number { held[number] = found }
      }
      if let place { places.sight(place, at: quad) }
    }
  }

  /// Merges every other chart that the view can be aligned with into the current one.
  private mutating func join(_ seen: [ObservedCode]) {
    for other in 0..<charts where other != chart {
      guard places.count(on: other) >= 2, let found = places.align(seen, on: other, expected: nil),
        let back = found.map.inverse
      else { continue }
      let twins = places.merge(other, into: chart, by: map * back)
      for (number, place) in held { held[number] = twins[place] ?? place }
    }
  }

  private mutating func recount(_ seen: [ObservedCode]) {
    var amounts: [CodeContent: Int] = [:]
    for place in places.all where place.counts { amounts[place.content, default: 0] += 1 }
    for index in order.indices { order[index].amount = amounts.removeValue(forKey: order[index].content) ?? 0 }
    guard !amounts.isEmpty else { return }
    for code in seen {
      guard let amount = amounts.removeValue(forKey: code.content) else { continue }
      order.append(Copies(content: code.content, amount: amount, number: code.number))
    }
    // These contents are outside this view, and are counted now because charts were joined.
    for (content, amount) in amounts.sorted(by: { $0.key.text < $1.key.text }) {
      order.append(Copies(content: content, amount: amount, number: nil))
    }
  }
}

/// The report of `waymark count`: the object of `--json`, the lines of `--csv`, and the text for a person.
package struct CountReport: Encodable {
  /// The property that makes two codes the same, so that they are counted once.
  package enum Identity: String, CaseIterable, Sendable {
    /// The content and the place: every copy is counted.
    case place
    /// The content: copies are counted once.
    case content
  }

  /// A code and the number of its copies.
  struct Code: Encodable {
    let symbology: String
    let text: String
    let amount: Int
    /// The name of the first picture that showed the content.
    let input: String
  }

  let by: String
  /// The number of pictures that were read.
  let pictures: Int
  /// `CodeCounter.stretches`: with more than 1, copies may be counted twice. Nil if each picture shows another shelf.
  package let stretches: Int?
  let total: Int
  let codes: [Code]

  package init(_ count: CodeCounter, by identity: Identity, inputs: [String], isMoving: Bool) {
    by = identity.rawValue
    pictures = inputs.count
    stretches = isMoving ? count.stretches : nil
    codes = count.firstViews.map { content, amount, view in
      Code(
        symbology: content.symbology, text: content.text, amount: identity == .place ? amount : 1,
        input: inputs.indices.contains(view) ? inputs[view] : "")
    }
    total = codes.reduce(0) { $0 + $1.amount }
  }

  /// The report as CSV (RFC 4180) with a header. Texts are quoted, so that separators, quotes and line ends in a code are
  /// preserved.
  package var csv: String {
    func field(_ text: String) -> String { "\"" + text.replacing("\"", with: "\"\"") + "\"" }
    let rows = codes.map { [field($0.symbology), field($0.text), "\($0.amount)", field($0.input)] }
    return ([["symbology", "text", "amount", "input"]] + rows).map { $0.joined(separator: ",") + "\r\n" }.joined()
  }

  /// The report as lines of text.
  package var text: String {
    let width = String(codes.map(\.amount).max() ?? 0).count
    let lines = codes.map { code in
      let amount = String(code.amount)
      return String(repeating: " ", count: width - amount.count) + "\(amount) × \(code.symbology) \(code.text)"
    }
    return (lines + ["\(total) in all, \(codes.count) different."]).joined(separator: "\n")
  }
}
