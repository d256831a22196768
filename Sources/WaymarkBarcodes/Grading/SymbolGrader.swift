import WaymarkGeometry
public import WaymarkImage
public import WaymarkSymbologies

/// Grades how symbols that were read are printed.
public struct SymbolGrader: ~Copyable {
  private var zbar: ZBarScanner

  /// A grader; a handle that is owned, as a scanner is.
  public init() throws(BarcodeError) { zbar = try ZBarScanner(symbologies: [.ean13]) }

  /// The symbologies that can be graded: bars in one row, and those matrix codes whose modules lie in a grid.
  public static let symbologies: Set<Symbology> = Set(Symbology.allCases).subtracting([
    .sq, .pdf417, .maxiCode, .ean2, .ean5,
  ])

  /// The grade of a symbol that was read in a picture.
  ///
  /// - Parameters:
  ///   - symbol: as the scanner told it, with its corners.
  ///   - image: the same picture, 8-bit gray.
  /// - Returns: `nil` where the symbology is not graded, or the symbol lies in several rows or is put together from several.
  public mutating func grade(_ symbol: Symbol, in image: ImageView) -> PrintGrade? {
    guard Self.symbologies.contains(symbol.symbology) else { return nil }
    if symbol.symbology == .qr { return qr(symbol, image) }
    return symbol.symbology.isMatrix ? matrix(symbol, image) : bars(symbol, image)
  }

  // MARK: Bars

  private mutating func bars(_ symbol: Symbol, _ image: ImageView) -> PrintGrade? {
    // The library sees a UPC-A as the EAN-13 that it is, and a Code 32 as its Code 39.
    let wanted: Set<Symbology> =
      switch symbol.symbology {
      case .code32: [.code39]
      case .upcA: [.upcA, .ean13]
      case let own: [own]
      }
    let library = wanted.filter { $0.zbarType != nil && $0 != .dataBarExpanded }
    var found: [[Double]: Bool] = [:]
    // Lines differ little: each sequence of widths is drawn once.
    var lines: [[Double]] = []
    let probe = BarGrader(
      reflectance: Reflectance(view: image),
      decodes: { widths in
        lines.append(widths)
        return false
      }, symbology: symbol.symbology)
    guard probe.grade(symbol.corners) != nil else { return nil }
    for widths in lines { found[widths] = Self.shows(widths, symbol, library, &zbar) }
    guard found.values.contains(true) else { return nil }
    return BarGrader(
      reflectance: Reflectance(view: image), decodes: { found[$0] ?? false }, symbology: symbol.symbology
    ).grade(symbol.corners)
  }

  /// Returns whether elements of given widths are the symbol.
  private static func shows(
    _ widths: [Double], _ symbol: Symbol, _ library: Set<Symbology>, _ scanner: inout ZBarScanner
  ) -> Bool {
    let narrow = widths.sorted().dropFirst(widths.count / 6).first ?? 1
    // Ten pixels for the narrowest: edges are rounded to a twentieth of it.
    let scale = min(8, max(1, 10 / max(narrow, 0.5)))
    let margin = 12 * narrow * scale
    var edges = [margin]
    for width in widths { edges.append((edges.last ?? 0) + width * scale) }
    let width = Int((edges.last ?? 0) + margin)
    guard width < 40_000 else { return false }
    let picture = GrayImage(width: width, height: 8) { pixels in
      pixels.update(repeating: 255)
      for i in stride(from: 0, to: widths.count, by: 2) {
        for x in Int(edges[i].rounded())..<min(width, Int(edges[i + 1].rounded())) {
          for y in 0..<8 { pixels[y * width + x] = 0 }
        }
      }
    }
    if library.isEmpty {
      return picture.withView { view in
        guard let line = LinearLine(view, row: 4) else { return false }
        if symbol.symbology == .dataBarExpanded {
          return [line, line.reversed].contains { line in
            var reader = DataBarExpandedReader()
            for _ in 0..<DataBarExpandedReader.leastVotes { reader.add([line]) }
            return reader.read().map { Array($0.text.utf8) == symbol.bytes } ?? false
          }
        }
        let wanted: Set<Symbology> = [symbol.symbology]
        return [false, true].contains { isBackward in
          LinearReaders.read(line, wanted, isBackward: isBackward).contains { $0.bytes == symbol.bytes }
        }
      }
    }
    scanner.use(library)
    scanner.set(x: 0, y: 2)
    return picture.withView { scanner.scan($0) }.codes.contains { code in
      code.bytes == symbol.bytes || symbol.symbology == .code32 || code.bytes == symbol.bytes.map { $0 & 0x7F }
        || symbol.symbology == .upcA && code.bytes == [0x30] + symbol.bytes
    }
  }

  // MARK: Matrix codes

  private func qr(_ symbol: Symbol, _ image: ImageView) -> PrintGrade? {
    var search = PictureSearch(
      image, symbologies: [.qr], regions: 0, reader: QRReader(budget: ReadingBudget(ReadingBudget.still)))
    search.readModules()
    if !search.qr.candidates.contains(where: { Self.isSame($0, symbol) }) { search.readScaled() }
    guard let found = search.qr.candidates.first(where: { Self.isSame($0, symbol) }) else { return nil }
    let layout = found.grid.layout
    let side = layout.side
    let sampler = ModuleSampler(image, columns: side, rows: side) { found.grid.place($0, $1) }
    var decoder = QRDecoder()
    var read: (matrix: ModuleMatrix, outcome: QRDecoder.Outcome)?
    for (radius, sharpen) in [(4, Float(0)), (3, 0.6), (5, 1.2)] {
      let matrix = sampler.matrix(radius: radius, sharpen: sharpen, inverted: found.inverted)
      if let outcome = decoder.decode(matrix, layout) {
        read = (matrix, outcome)
        break
      }
    }
    guard let (matrix, outcome) = read,
      let level = (outcome.isMirrored ? matrix.transposed : matrix).formats.first?.level
    else { return nil }
    let placement = layout.placement
    let capacity = QRCapacity(layout, level: level)
    guard placement.count >= 8 * capacity.codewords else { return nil }
    let blocks = (0..<capacity.blocks).map { block in
      capacity.indices(of: block).map { word in
        placement[(8 * word)..<(8 * word + 8)].map { at in
          outcome.isMirrored ? Int(at) % side * side + Int(at) / side : Int(at)
        }
      }
    }
    var grader = MatrixGrader(
      image, matrix, isInverted: found.inverted, segments: layout.segments, blocks: blocks,
      checks: capacity.parity - QRCapacity.detectionOnly(layout, level: level), used: outcome.effort, quiet: 4,
      place: { found.grid.place($0, $1) })
    return grader.grade()
  }

  private static func isSame(_ candidate: QRReader.Candidate, _ symbol: Symbol) -> Bool {
    candidate.isRead && candidate.grid.corners.bounds.contains(symbol.corners.center)
  }

  private func matrix(_ symbol: Symbol, _ image: ImageView) -> PrintGrade? {
    let octaves = Octaves(image)
    for index in 0..<octaves.count {
      let octave = octaves[index]
      let readers = BuiltInReaders(
        view: octave.view, levels: octave.levels, wanted: [symbol.symbology], effort: .still)
      let center = symbol.corners.scaled(by: 1 / octave.factor).center
      let found = readers.look().detections.first {
        $0.message?.bytes == symbol.bytes && $0.corners.bounds.contains(center)
      }
      guard let found, let matrix = found.matrix, let map = found.map else { continue }
      let (segments, fixed) = Self.patterns(symbol.symbology, matrix)
      let free = matrix.dark.indices.filter { !fixed.contains($0) }
      let words = stride(from: 0, to: free.count, by: 8).map { Array(free[$0..<min($0 + 8, free.count)]) }
      var grader = MatrixGrader(
        octave.view, matrix, isInverted: found.inverted, segments: segments, blocks: [words],
        // A third of a symbol, near enough.
        checks: words.count / 3, used: found.used,
        quiet: symbol.symbology == .aztec ? 0 : symbol.symbology == .dataMatrix ? 1 : 2, place: { map.apply([$0, $1]) })
      return grader.grade()
    }
    return nil
  }

  /// The fixed patterns of a symbol, and which of its modules they are.
  private static func patterns(_ symbology: Symbology, _ matrix: ModuleMatrix) -> ([[KnownModule]], Set<Int>) {
    let (columns, rows) = (matrix.columns, matrix.rows)
    let fixed: (Int, Int) -> Bool?
    switch symbology {
    case .dataMatrix:
      let all = DataMatrixSize.all + DataMatrixSize.all.map(\.turned)
      let size = all.first { $0.columns == columns && $0.rows == rows }
      fixed = { size?.fixed($0, $1) }
    case .aztec:
      // The rings of the bull's eye: two more of a full symbol than of a compact one.
      let radius = columns <= 27 && (columns - 11) % 4 == 0 ? 4 : 6
      let middle = columns / 2
      fixed = { x, y in
        let ring = max(abs(x - middle), abs(y - middle))
        return ring <= radius ? ring.isMultiple(of: 2) : nil
      }
    case .microQR: fixed = { MicroQRDecoder.fixed($0, $1) }
    default:
      let size = RMQRSize.all.first { $0.columns == columns && $0.rows == rows }
      fixed = { size?.fixed($0, $1) }
    }
    // The sides by themselves, and what is inside.
    var segments = [[KnownModule]](repeating: [], count: 5)
    var places: Set<Int> = []
    for y in 0..<rows {
      for x in 0..<columns {
        guard let isDark = fixed(x, y) else { continue }
        places.insert(y * columns + x)
        let segment = x == 0 ? 0 : y == rows - 1 ? 1 : x == columns - 1 ? 2 : y == 0 ? 3 : 4
        segments[segment].append(KnownModule(at: [Double(x) + 0.5, Double(y) + 0.5], isDark: isDark))
      }
    }
    return (segments, places)
  }
}

extension QRLayout {
  /// The finder patterns with their separators, the timing patterns, and the alignment patterns, one by one.
  fileprivate var segments: [[KnownModule]] {
    func known(_ x: Int, _ y: Int, _ isDark: Bool) -> KnownModule {
      KnownModule(at: [Double(x) + 0.5, Double(y) + 0.5], isDark: isDark)
    }
    var segments: [[KnownModule]] = []
    for (cx, cy) in [(3, 3), (side - 4, 3), (3, side - 4)] {
      var own: [KnownModule] = []
      for y in (cy - 4)...(cy + 4) where (0..<side).contains(y) {
        for x in (cx - 4)...(cx + 4) where (0..<side).contains(x) {
          let ring = max(abs(x - cx), abs(y - cy))
          own.append(known(x, y, ring != 2 && ring != 4))
        }
      }
      segments.append(own)
    }
    segments.append((8...(side - 9)).map { known($0, 6, $0.isMultiple(of: 2)) })
    segments.append((8...(side - 9)).map { known(6, $0, $0.isMultiple(of: 2)) })
    for center in alignmentCenters {
      var own: [KnownModule] = []
      for y in -2...2 {
        for x in -2...2 { own.append(known(center.x + x, center.y + y, max(abs(x), abs(y)) != 1)) }
      }
      segments.append(own)
    }
    return segments
  }
}
