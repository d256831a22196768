import WaymarkImage

/// Runs the readers of this module on the lines of one strip.
struct StripLines {
  let picture: GrayImage
  let strip: BarStrip
  let pass: ScanPass
  /// The picture that the strip shows.
  let image: ImageView

  /// Returns the lines of the strip, one per band: every band occurs twice in a strip.
  private func lines(_ view: ImageView, window: Double = 60) -> [LinearLine] {
    stride(from: 0, to: view.height, by: 2).compactMap {
      LinearLine(view, row: $0, window: window, visible: visible($0))
    }
  }

  /// Returns the part of a row of the strip inside the picture.
  func visible(_ row: Int) -> ClosedRange<Double> { strip.visible(band: row / 2, in: image) }

  private func symbol(
    _ symbology: Symbology, _ bytes: [UInt8], from: Double, to: Double, lines: Int, isLinked: Bool
  ) -> Symbol {
    let rows = Double(strip.bands)
    let corners = Quadrilateral(
      topLeft: strip.place(from, 0), topRight: strip.place(to, 0), bottomRight: strip.place(to, rows),
      bottomLeft: strip.place(from, rows))
    let text = String(decoding: bytes, as: UTF8.self)
    let isGS1 = symbology.row.linear?.isGS1 == true
    return Symbol(
      symbology: symbology, text: text, bytes: bytes, charset: .ascii, gs1: isGS1 ? GS1Element.parse(text) ?? [] : [],
      corners: corners, quality: lines, pass: pass, composite: isLinked ? SymbolComposite() : nil)
  }

  /// Reads symbols with the line readers of this module.
  func read(_ wanted: Set<Symbology>) -> [Symbol] {
    var seen: [LinearRead: (count: Int, from: Double, to: Double)] = [:]
    let way = strip.place(1, 0) - strip.place(0, 0)
    let isBackward = abs(way.x) > 0.01 * way.length ? way.x < 0 : way.y > 0
    picture.withView { view in
      for line in lines(view) {
        for var read in LinearReaders.read(line, wanted, isBackward: isBackward) {
          let (from, to) = (line.edges[read.first], line.edges[read.last + 1])
          (read.first, read.last) = (0, 0)
          let known = seen[read]
          seen[read] = ((known?.count ?? 0) + 1, min(from, known?.from ?? from), max(to, known?.to ?? to))
        }
      }
    }
    return seen.map {
      symbol(
        $0.key.symbology, $0.key.bytes, from: $0.value.from, to: $0.value.to, lines: $0.value.count,
        isLinked: $0.key.component != nil)
    }
  }

  /// Returns the characters of a DataBar Expanded in the lines.
  ///
  /// - Parameter isThorough: true to use two thresholds between dark and light; false to use one, which suffices to detect
  ///   characters.
  func expanded(isThorough: Bool = true) -> DataBarExpandedReader {
    var reader = DataBarExpandedReader()
    picture.withView { view in
      // A bar may be wider than the window that suits blurred bars.
      let wide = max(120, Double(view.width) / 8)
      for row in stride(from: 0, to: view.height, by: 2) {
        reader.add(
          (isThorough ? [40, wide] : [wide]).compactMap {
            LinearLine(view, row: row, window: $0, visible: visible(row))
          })
      }
    }
    return reader
  }

  /// Returns the symbol of a complete DataBar Expanded.
  func symbol(_ reading: DataBarExpandedReader.Reading, _ extent: ClosedRange<Double>) -> Symbol {
    symbol(
      .dataBarExpanded, Array(reading.text.utf8), from: extent.lowerBound, to: extent.upperBound, lines: reading.lines,
      isLinked: reading.isLinked)
  }

  /// Returns a Code 128 with the characters above ASCII that libzbar drops, if a line shows a code that differs only in the eighth
  /// bits.
  func extended(_ symbol: Symbol) -> Symbol {
    let bytes = picture.withView { view -> [UInt8]? in
      for line in lines(view) {
        for line in [line, line.reversed] {
          if let bytes = Code128Line.read(line)?.bytes, bytes.map({ $0 & 0x7F }) == symbol.bytes { return bytes }
        }
      }
      return nil
    }
    guard let bytes, bytes != symbol.bytes else { return symbol }
    var other = symbol
    other.bytes = bytes
    other.charset = .latin1
    other.text = String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    return other
  }

  // MARK: Crowded codes

  /// The bands that are searched first. If they show nothing, the rest is not searched.
  private static let glances = [1, 4, 7]
  /// The number of bands that must show the same content.
  private static let agreeing = 3

  /// Returns a code that libzbar does not read, because its quiet zone is too narrow or its bars are too blurred, in the form of a
  /// libzbar result. At least three bands must show its content, and no other content may have a third as many bands.
  func crowded(_ wanted: Set<Symbology>) -> ZBarScanner.Raw? {
    var seen: [CrowdedReaders.Content: (rows: Int, from: Double, to: Double, row: Int, isReversed: Bool)] = [:]
    let first = Self.glances.filter { $0 < strip.bands }
    picture.withView { view in
      for band in first + (0..<strip.bands).filter({ !first.contains($0) }) {
        if seen.isEmpty, !first.contains(band) { return }
        let row = 2 * band
        var own: [CrowdedReaders.Content: CrowdedReaders.Found] = [:]
        for line in Self.renderings(view, row: row, visible: visible(row)) {
          for found in CrowdedReaders.read(line, wanted) { own[found.content] = found }
        }
        for (content, found) in own {
          let known = seen[content]
          seen[content] = (
            (known?.rows ?? 0) + 1, min(found.from, known?.from ?? found.from), max(found.to, known?.to ?? found.to),
            row,
            found.isReversed
          )
        }
      }
    }
    guard let best = seen.max(by: { $0.value.rows < $1.value.rows }), best.value.rows >= Self.agreeing,
      !seen.contains(where: { $0.key != best.key && 3 * $0.value.rows >= best.value.rows })
    else { return nil }
    let row = Double(best.value.row)
    return ZBarScanner.Raw(
      symbology: best.key.symbology, bytes: best.key.bytes, quality: best.value.rows, isGS1: best.key.isGS1,
      points: [Point2(best.value.from, row), Point2(best.value.to, row)], isUpsideDown: best.value.isReversed)
  }

  /// Returns the runs of a row: as it is, sharpened, and from its local extremes.
  private static func renderings(_ view: ImageView, row: Int, visible: ClosedRange<Double>) -> [LinearLine] {
    let sharp = sharpened(view, row: row).withView { LinearLine($0, row: 0, visible: visible) }
    return [
      LinearLine(view, row: row, visible: visible), sharp, LinearLine(turnsOf: view, row: row, visible: visible),
    ].compactMap { $0 }
  }

  /// Returns a row with its details amplified: the difference to a blurred copy is added `gain` times, so that merged narrow bars
  /// cross the threshold again.
  private static func sharpened(_ view: ImageView, row: Int) -> GrayImage {
    let (line, width) = (view.row(row), view.width)
    return GrayImage(width: width, height: 1) { pixels in
      guard let target = pixels.baseAddress else { return }
      target.update(from: line, count: width)
      GaussianBlur.apply(target, width: width, height: 1, sigma: detail)
      for x in 0..<width {
        let level = Int(line[x])
        target[x] = UInt8(clamping: level + gain * (level - Int(target[x])))
      }
    }
  }

  /// The standard deviation of the blur in pixels of a strip, two of which are one pixel of the picture.
  private static let detail = 2.0
  private static let gain = 3
}
