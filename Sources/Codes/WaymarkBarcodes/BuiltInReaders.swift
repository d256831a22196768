import WaymarkImage

/// The readers of this module together, for the symbologies that libzbar does not decode.
struct BuiltInReaders {
  /// The result of the readers for one picture.
  struct Reading {
    var symbols: [Symbol] = []
    /// Codes that carry parts of messages.
    var parts: [StructuredAppend.Code] = []
    /// Codes that are there for certain and were not read.
    var unread: [MatrixDetection] = []
    /// True if something was left undone because the picture would have cost too much.
    var isLimited = false
  }

  let view: ImageView
  let levels: BlockMean
  let wanted: Set<Symbology>
  let effort: ScanConfiguration.Effort
  /// True if it goes on after many places that look like a code and are none.
  var isPatient = true
  /// The finder patterns of the picture, where they were looked for before.
  var finders: FinderSearch?

  /// The symbologies that the readers of this module look for.
  static let symbologies: Set<Symbology> = Set(
    Symbology.allCases.filter { $0.zbarType == nil && $0.isMatrix })

  /// The families that one search of a picture finds together. A live frame has time for one of them; the next frame has it for the next.
  private static let families: [Set<Symbology>] = [
    [.dataMatrix], [.pdf417], [.aztec, .maxiCode], [.microQR, .rMQR], [.microPDF417],
  ]

  /// Those of `wanted` whose turn it is in a live frame; all of them where one search finds them all.
  static func turn(_ turn: Int, of wanted: Set<Symbology>) -> Set<Symbology> {
    let families = families.map { $0.intersection(wanted) }.filter { !$0.isEmpty }
    return families.isEmpty ? [] : families[turn % families.count]
  }

  /// Runs the readers on a picture in twice its size and with a border, light first, then dark: codes of a pixel a module, and
  /// those that fill their picture to its rim.
  static func enlarged(_ image: ImageView, _ wanted: Set<Symbology>) -> Reading {
    let double = image.doubled()
    let border = 24
    func back(_ corners: Quadrilateral) -> Quadrilateral {
      func place(_ p: Point2) -> Point2 { (p - Double(border) + 0.5) / 2 - 0.5 }
      return Quadrilateral(
        topLeft: place(corners.topLeft), topRight: place(corners.topRight), bottomRight: place(corners.bottomRight),
        bottomLeft: place(corners.bottomLeft))
    }
    for tone in [UInt8.max, 0] {
      var reading = double.framed(border, tone: tone).withView {
        BuiltInReaders(view: $0, levels: BlockMean($0), wanted: wanted, effort: .still).read()
      }
      guard !reading.symbols.isEmpty || !reading.parts.isEmpty else { continue }
      for i in reading.symbols.indices { reading.symbols[i].corners = back(reading.symbols[i].corners) }
      for i in reading.parts.indices { reading.parts[i].corners = back(reading.parts[i].corners) }
      return reading
    }
    return Reading()
  }

  func read() -> Reading {
    var reading = Reading()
    let (detections, isLimited) = look()
    reading.isLimited = isLimited
    for finding in detections {
      if let message = finding.message, message.part != nil {
        reading.parts.append(
          StructuredAppend.Code(symbology: finding.symbology, message: message, corners: finding.corners))
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

  /// The codes that are there, read or not, and whether something was left undone in a still; live frames are rationed anyway.
  func look() -> (detections: [MatrixDetection], isLimited: Bool) {
    var detections: [MatrixDetection] = []
    var isLimited = false
    let isStill = effort == .still
    if wanted.contains(.dataMatrix) {
      if isStill {
        let look = DataMatrixLooks(view: view, levels: levels).read()
        detections += look.detections
        isLimited = look.isLimited
      } else {
        detections +=
          DataMatrixReader(
            view: view, levels: levels, isThorough: false, failures: isPatient ? 40 : 12
          ).read(Contours(view, levels: levels, isFine: false)).detections
      }
    }
    let step = isStill ? 2 : 3
    if wanted.contains(.aztec) {
      detections += AztecReader(view: view, levels: levels).read(BullseyeSearch(view, levels: levels, step: step))
    }
    if wanted.contains(.maxiCode) { detections += MaxiCodeReader(view: view, levels: levels, step: step).read() }
    if wanted.contains(.microQR) || wanted.contains(.rMQR) {
      let rings = FinderRings(view, levels: levels, finders ?? FinderSearch(view, levels: levels))
      if wanted.contains(.microQR) { detections += MicroQRReader(view: view).read(rings) }
      if wanted.contains(.rMQR) { detections += RMQRReader(view: view).read(rings) }
    }
    if wanted.contains(.microPDF417) {
      let (regions, lines) = isStill ? (6, 240) : (2, 60)
      detections += MicroPDF417Reader(view: view, regions: regions, lines: lines, glances: true).read()
    }
    if wanted.contains(.pdf417) {
      detections += PDF417Reader(view: view, levels: levels, readsFine: isStill).read()
      if isStill, !detections.contains(where: { $0.symbology == .pdf417 && $0.isRead }) {
        detections += onItsSide { PDF417Reader(view: $0, levels: $1, readsFine: true).read() }
      }
    }
    return (detections, isLimited)
  }

  /// Runs a reader that looks along rows on the picture's columns.
  private func onItsSide(_ read: (ImageView, BlockMean) -> [MatrixDetection]) -> [MatrixDetection] {
    let height = view.height
    let turned = GrayImage(copying: view).oriented(.turn90)
    func back(_ p: Point2) -> Point2 { [p.y, Double(height - 1) - p.x] }
    return turned.withView { read($0, BlockMean($0)) }.map { found in
      var finding = found
      let c = found.corners
      finding.corners = Quadrilateral(
        topLeft: back(c.topLeft), topRight: back(c.topRight), bottomRight: back(c.bottomRight),
        bottomLeft: back(c.bottomLeft))
      return finding
    }
  }
}

extension Quadrilateral {
  /// Returns whether the middle of one lies in the upright rectangle around the other.
  func overlaps(_ other: Quadrilateral) -> Bool { bounds.contains(other.center) || other.bounds.contains(center) }
}
