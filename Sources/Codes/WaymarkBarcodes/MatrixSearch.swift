import WaymarkImage

/// The search of one picture for the matrix symbologies that libzbar does not decode. The file also has its detections
/// (`MatrixDetection`), and the finder patterns for symbologies with a single one (`FinderRings`).
struct MatrixSearch {
  /// The result of the readers for one picture.
  struct Reading {
    var symbols: [Symbol] = []
    /// Codes that carry parts of messages (structured append).
    var parts: [StructuredAppend.Code] = []
    /// The 2-D components of GS1 composite symbols.
    var components: [MatrixDetection] = []
    /// Codes that were found for certain and not decoded.
    var unread: [MatrixDetection] = []
    /// True if the search was cut short because the picture would have cost too much time.
    var isLimited = false
  }

  let view: ImageView
  let levels: BlockMean
  let wanted: Set<Symbology>
  let effort: ScanConfiguration.Effort
  /// True if the search continues after many candidates have turned out not to be codes.
  var isPatient = true
  /// Returns the finder patterns of the picture, which are shared with another search; `nil` if this search finds its own.
  var finders: (() -> FinderSearch)?
  /// The finder patterns with their rings, for symbologies with a single finder pattern.
  lazy var rings = FinderRings(view, levels: levels, finders?() ?? FinderSearch(view, levels: levels))
  /// The rows of bars that may be postal codes; `nil` before the first search for them.
  var fourStateRows: [FourStateBars.Row]?
  /// True if a reader cut its search of a still picture short; live frames always have a limit.
  var isLimited = false

  var isStill: Bool { effort == .still }
  /// The distance of the rows that are searched for rings, in pixels.
  var step: Int { isStill ? 2 : 3 }

  /// The readers in the order in which their detections are reported.
  private static let readers = Symbology.allCases.compactMap { symbology in
    symbology.row.reader.map { (symbology: symbology, reader: $0) }
  }.sorted { $0.reader.order < $1.reader.order }

  /// The symbologies that have a reader in this module.
  static let symbologies = Set(readers.map(\.symbology))

  /// Returns the symbologies of `wanted` to look for in a live frame: there is time for one search per frame, so they take
  /// turns.
  static func turn(_ turn: Int, of wanted: Set<Symbology>) -> Set<Symbology> {
    let turns = Set(wanted.compactMap { $0.row.reader?.turn }).sorted()
    guard !turns.isEmpty else { return [] }
    return wanted.filter { $0.row.reader?.turn == turns[turn % turns.count] }
  }

  /// Runs the readers on copies of a picture until one shows a code: a drawing redrawn on the grid of its modules (`GridPicture`),
  /// then the picture at twice its size with a white border, then the same with a black border. This reads codes of one pixel per
  /// module, and codes without a quiet zone.
  static func enlarged(_ image: ImageView, _ wanted: Set<Symbology>) -> Reading {
    if let drawn = GridPicture(image), let reading = read(drawn.image, wanted, drawn.place) { return reading }
    let double = image.doubled()
    let border = 24
    for tone in [UInt8.max, 0] {
      if let reading = read(double.framed(border, tone: tone), wanted, { ($0 - Double(border) + 0.5) / 2 - 0.5 }) {
        return reading
      }
    }
    return Reading()
  }

  /// Runs the readers on a copy of a picture; nil if nothing was read.
  ///
  /// - Parameter back: maps a point of the copy to the picture.
  private static func read(_ copy: GrayImage, _ wanted: Set<Symbology>, _ back: (Point2) -> Point2) -> Reading? {
    var reading = copy.withView {
      MatrixSearch(view: $0, levels: BlockMean($0), wanted: wanted, effort: .still).read()
    }
    guard !reading.symbols.isEmpty || !reading.parts.isEmpty || !reading.components.isEmpty else { return nil }
    for i in reading.symbols.indices { reading.symbols[i].corners = reading.symbols[i].corners.mapped(back) }
    for i in reading.parts.indices { reading.parts[i].corners = reading.parts[i].corners.mapped(back) }
    for i in reading.components.indices { reading.components[i].corners = reading.components[i].corners.mapped(back) }
    return reading
  }

  func read() -> Reading {
    var search = self
    var detections: [MatrixDetection] = []
    for (symbology, reader) in Self.readers where wanted.contains(symbology) {
      detections += reader.detections(&search)
    }
    var reading = Reading(isLimited: search.isLimited)
    for finding in detections {
      if let message = finding.message, message.part != nil {
        reading.parts.append(
          StructuredAppend.Code(symbology: finding.symbology, message: message, corners: finding.corners))
      } else if finding.message?.isComponent == true {
        reading.components.append(finding)
      } else if let symbol = finding.symbol {
        reading.symbols.append(symbol)
      } else {
        reading.unread.append(finding)
      }
    }
    reading.unread.removeAll { open in
      open.certainty < 0.9 || detections.contains { $0.isRead && $0.corners.overlaps(open.corners) }
    }
    return reading
  }
}

extension Quadrilateral {
  /// Returns whether the centre of one outline is inside the bounds of the other.
  func overlaps(_ other: Quadrilateral) -> Bool { bounds.contains(other.center) || other.bounds.contains(center) }
}

// MARK: - Detections

/// A code found by a reader of this module, decoded or not.
struct MatrixDetection {
  var symbology: Symbology
  /// The corners in pixels, clockwise from the top left of the upright code.
  var corners: Quadrilateral
  /// The size of a module in pixels.
  var module: Double
  /// The share of the fixed features of the symbology that were seen, 0 to 1.
  var certainty: Double
  var inverted = false
  var message: CodeMessage?

  var isRead: Bool { message != nil }

  /// The code as a symbol; `nil` if it was not decoded, is empty, or is a component of another symbol.
  var symbol: Symbol? {
    message.flatMap { $0.isComponent ? nil : Symbol($0, symbology: symbology, corners: corners) }
  }

  /// Returns the detection in pixels of the original picture.
  ///
  /// - Parameters:
  ///   - scale: the number of pixels of the original, along a side, per pixel of the searched copy.
  ///   - origin: the top left corner of the searched part in the original.
  func placed(scale: Double = 1, origin: Point2 = [0, 0]) -> MatrixDetection {
    let shift = origin + (scale - 1) / 2
    let map = Homography([scale, 0, shift.x], [0, scale, shift.y], [0, 0, 1])
    var other = self
    other.corners = map.apply(corners)
    other.module *= scale
    return other
  }
}

// MARK: - Single finder patterns

/// The finder patterns of a picture with the corners of their rings, for symbologies with a single finder pattern.
struct FinderRings {
  private let view: ImageView
  private let levels: BlockMean
  /// The finder patterns of each polarity, sorted by the number of rows that cross them, the largest first.
  private let patterns: [[FinderPattern]]

  init(_ view: ImageView, levels: BlockMean, _ search: FinderSearch) {
    (self.view, self.levels, patterns) = (view, levels, search.found)
  }

  /// The search ends after this many patterns of a polarity have failed; a pattern without a ring counts as a third of one.
  private static let failures = 8

  /// Runs a reader on the corners of the ring of each finder pattern outside of the codes that it has already detected.
  func detections(_ read: (Quadrilateral, _ inverted: Bool) -> MatrixDetection?) -> [MatrixDetection] {
    var detections: [MatrixDetection] = []
    for polarity in 0...1 {
      var left = 3 * Self.failures
      for pattern in patterns[polarity] where left > 0 {
        if detections.contains(where: { $0.corners.contains(pattern.center) }) { continue }
        let corners = RingCorners.find(
          view, levels: levels, around: pattern.center, unit: [pattern.moduleX, pattern.moduleY],
          isDark: polarity == 0, past: [true, false], modules: 7)
        if let found = corners.flatMap({ read($0, polarity == 1) }) {
          detections.append(found)
        } else {
          left -= corners == nil ? 1 : 3
        }
      }
    }
    return detections
  }
}
