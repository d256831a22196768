import WaymarkImage

/// Finds the 2-D component above a linear code (GS1 composite, ISO/IEC 24723): among the components that were read, or by lines above
/// the code. `DataBarLink` below determines whether a DataBar declares a component.
struct CompositeReader {
  let image: ImageView
  /// The components that readers of matrix codes found and that were not joined to a code.
  private(set) var components: [MatrixDetection]
  /// The outlines of the components that were joined.
  private(set) var joined: [Quadrilateral] = []
  private let isLive: Bool
  /// The number of further codes whose components may be searched for by lines.
  private var codesLeft: Int

  /// The largest number of codes whose components are searched for by lines, in a still picture and in a live frame.
  private static let most = (still: 100, live: 6)

  /// The largest distance between a code and its component, in modules of the component. It is larger for a stacked DataBar, of
  /// which libzbar may report the lower row only.
  private static let (gap, stackedGap) = (14.0, 60.0)

  init(_ image: ImageView, _ components: [MatrixDetection], isLive: Bool) {
    self.image = image
    self.components = components
    self.isLive = isLive
    codesLeft = isLive ? Self.most.live : Self.most.still
  }

  /// Adds to a linear code the component above it, if there is one, and removes that component from `components`.
  mutating func read(_ symbol: inout Symbol) {
    guard let modules = Self.modules(of: symbol) else { return }
    if let index = components.firstIndex(where: { Self.isAbove($0, symbol) }) {
      return join(components.remove(at: index), to: &symbol)
    }
    let component = codesLeft > 0 ? search(symbol, modules) : nil
    codesLeft -= 1
    if let component, component.isRead { return join(component, to: &symbol) }
    let declared = self.declared(symbol)
    if declared == .pdf417, let component = searchPDF417(symbol) { return join(component, to: &symbol) }
    if component != nil || declared != nil { symbol.composite = SymbolComposite() }
  }

  private mutating func join(_ component: MatrixDetection, to symbol: inout Symbol) {
    guard let message = component.message else { return }
    let text = String(decoding: message.bytes, as: UTF8.self)
    symbol.composite = SymbolComposite(text: text)
    symbol.gs1 = symbol.symbology.elements(symbol.text, component: text)
    joined.append(component.corners)
  }

  /// Returns the approximate number of modules along a code that may have a component; `nil` for other codes.
  private static func modules(of symbol: Symbol) -> Double? {
    switch symbol.symbology {
    case .ean13, .upcA: 95
    case .ean8: 67
    case .upcE: 51
    case .dataBar, .dataBarExpanded: 96
    case .dataBarLimited: 74
    case .code128 where !symbol.gs1.isEmpty: 11 * (4 + 0.6 * Double(symbol.bytes.count))
    default: nil
    }
  }

  // MARK: Components that were read

  /// Returns whether a component is above a code: in its direction, over a good part of its length, and close to it. The outline of the
  /// code may include it.
  private static func isAbove(_ component: MatrixDetection, _ symbol: Symbol) -> Bool {
    let own = component.corners
    let across = own.bottomRight - own.bottomLeft
    let length = across.length
    guard length > 1 else { return false }
    let along = across / length
    let down = Point2(-along.y, along.x)
    let places = symbol.corners.corners.map { [($0 - own.bottomLeft).dot(along), ($0 - own.bottomLeft).dot(down)] }
    let (xs, ys) = (places.map { $0[0] }, places.map { $0[1] })
    guard let left = xs.min(), let right = xs.max(), let top = ys.min(), let bottom = ys.max() else { return false }
    let shared = min(right, length) - max(left, 0)
    let gap = symbol.symbology == .dataBar ? stackedGap : gap
    let edge = symbol.corners.topRight - symbol.corners.topLeft
    return shared > 0.7 * min(length, right - left) && abs(edge.dot(along)) > 0.94 * edge.length
      && top < gap * component.module && bottom > 4 * component.module
  }

  /// A side of a code above which its component may be.
  private struct Side {
    var left: Point2
    var length: Double
    /// The unit vectors along the side, and from the code to the component.
    var along: Point2
    var up: Point2
  }

  /// The least length of a side in pixels.
  private static let least = 40.0

  /// Returns the upper side, and the lower side because the code may be upside down, without sides that are too short.
  private static func sides(of c: Quadrilateral) -> [Side] {
    [(c.topLeft, c.topRight), (c.bottomRight, c.bottomLeft)].compactMap { left, right in
      let length = left.distance(to: right)
      guard length >= least else { return nil }
      let along = (right - left) / length
      return Side(left: left, length: length, along: along, up: Point2(along.y, -along.x))
    }
  }

  // MARK: Lines above a code

  /// In modules: the distance between lines, the height without a row after which the search ends, and how far inside the code the
  /// lines begin.
  private static let (step, patience, inside) = (0.7, 12.0, 4.0)
  /// The height above a code up to which lines look for a component, in modules: more than its 44 rows of two modules and the separator.
  private static let height = 110.0
  /// The inclinations of rows to the side of the code, in the order of the attempts. In perspective, bars are not at right angles
  /// to rows, but some outlines are drawn as if they were. A line at the right inclination crosses few rows.
  private static let slopes = [0.0] + (1...4).flatMap { [0.04 * Double($0), -0.04 * Double($0)] }
  /// The heights above a side, in modules, of the lines that are probed for a component, and the least number of edges of such a
  /// line.
  private static let (probes, edges) = ([3.0, 6, 9, 12], 21)

  /// Returns the component above a code, read or not; the code may be upside down.
  private func search(_ symbol: Symbol, _ modules: Double) -> MatrixDetection? {
    var open: MatrixDetection?
    let c = symbol.corners
    for side in Self.sides(of: c) {
      let module = side.length / modules
      // If this module's own reader found the code, its outline comes from the bar search, which may include the component.
      let isLoose = symbol.symbology == .dataBarLimited || symbol.symbology == .dataBarExpanded
      let inside = isLoose ? min(200, c.topLeft.distance(to: c.bottomLeft) / module) : Self.inside
      let isOpen =
        !isLive
        && (symbol.composite != nil || Self.probes.contains { edges(above: side, at: $0 * module) >= Self.edges })
      for slope in Self.slopes.prefix(isOpen ? Self.slopes.count : 1) {
        guard let found = search(side, slope: slope, module: module, inside: inside), Self.isAbove(found, symbol) else {
          continue
        }
        if found.isRead { return found }
        open = open ?? found
      }
    }
    return open
  }

  /// Returns the component, read or not, that is crossed by lines at an inclination to a side. The first line is `inside` modules
  /// below the side. `nil` without a component.
  private func search(_ side: Side, slope: Double, module: Double, inside: Double) -> MatrixDetection? {
    let way = side.along + side.up * slope
    let along = way / way.length
    // Includes the quiet zones, and a component wider than the code.
    let reach = 0.7 * side.length + 8
    let start = side.left + side.along * (side.length / 2) - along * reach - side.up * (inside * module)
    let lines = (0..<Int((Self.height + inside) / Self.step)).lazy.map {
      start + side.up * (Double($0) * Self.step * module)
    }
    let found = MicroPDF417Reader(view: image, regions: 0, lines: 0, slack: 0.25).read(
      from: lines, along: along, length: 2 * reach, patience: Int((Self.patience + inside) / Self.step))
    return found?.message?.isComponent == false ? nil : found
  }

  /// Returns the number of edges of the line `height` pixels above a side.
  private func edges(above side: Side, at height: Double) -> Int {
    guard let (a, b) = image.segment(from: side.left + side.up * height, direction: side.along, length: side.length)
    else { return 0 }
    return ScanLine(image, from: a, to: b, window: 20).edges.count
  }

  /// Returns the CC-C, a PDF417, above a code, read from a straightened copy of the area there; `nil` if it cannot be read.
  private func searchPDF417(_ symbol: Symbol) -> MatrixDetection? {
    for side in Self.sides(of: symbol.corners) {
      let (length, along, up) = (side.length, side.along, side.up)
      let (width, height) = (min(4000, Int(1.3 * length) + 16), min(2000, Int(0.8 * length)))
      let origin = side.left + along * ((length - Double(width)) / 2) + up * Double(height)
      let picture = GrayImage(width: width, height: height) { pixels in
        for y in 0..<height {
          let row = origin - up * Double(y)
          for x in 0..<width { pixels[y * width + x] = UInt8(image.bilinear(row + along * Double(x))) }
        }
      }
      let found = picture.withView { PDF417Reader(view: $0, levels: BlockMean($0), readsFine: true).read() }
      for var component in found where component.message?.isComponent == true {
        component.corners = component.corners.mapped { origin + along * $0.x - up * $0.y }
        if Self.isAbove(component, symbol) { return component }
      }
    }
    return nil
  }

  // MARK: Declarations

  /// Returns the symbology of the component that a code declares; `nil` if it declares none, or its symbology cannot declare one.
  private func declared(_ symbol: Symbol) -> Symbology? {
    if symbol.composite != nil { return .microPDF417 }
    guard symbol.symbology == .code128 || symbol.symbology == .dataBar else { return nil }
    let own = symbol.corners
    let height = own.bottomLeft - own.topLeft
    // The first character of a stacked DataBar is in the other row.
    for shift in symbol.symbology == .dataBar ? [0, -1, 1] : [0.0] {
      let strip = BarStrip(BarRegion(covering: own.mapped { $0 + shift * height }))
      let lines = strip.draw(image).withView { view in
        stride(from: 0, to: view.height, by: 2).compactMap { LinearLine(view, row: $0) }
      }
      for line in lines.flatMap({ [$0, $0.reversed] }) {
        if symbol.symbology == .dataBar {
          if let isLinked = DataBarLink(symbol.text)?.isLinked(line) { return isLinked ? .microPDF417 : nil }
        } else if let read = Code128Line.read(line), read.bytes == symbol.bytes {
          return read.component
        }
      }
    }
    return nil
  }
}

/// Determines whether a DataBar declares a 2-D component. Its value is then larger by a constant (ISO/IEC 24724, 5.2.3), which
/// libzbar drops, so the first character of the symbol is compared with both characters that the number can have: with and without
/// the constant.
struct DataBarLink {
  /// The widths in modules of the eight elements, without and with a component.
  private let plain: [Int]
  private let linked: [Int]

  /// Creates the two first characters of a DataBar; nil for other contents.
  ///
  /// - Parameter text: the element string of a GTIN, with its identifier 01.
  init?(_ text: String) {
    guard text.count == 16, text.hasPrefix("01"), let value = Int(text.dropFirst(2).dropLast()),
      let plain = Self.widths(value), let linked = Self.widths(value + 10_000_000_000_000)
    else { return nil }
    (self.plain, self.linked) = (plain, linked)
  }

  /// Returns whether the symbol on a line, in its direction, declares a component; nil if the line does not cross the symbol.
  func isLinked(_ line: LinearLine) -> Bool? {
    let w = line.widths
    // Looks for three parts in a row: the first bar of the guard, the character, which begins with a light element, and the finder
    // pattern.
    for first in stride(from: 1, to: w.count - 13, by: 2) {
      let module = w[first..<(first + 8)].reduce(0, +) / 16
      guard abs(w[(first + 8)..<(first + 13)].reduce(0, +) - 15 * module) < 2.5 * module, w[first - 1] < 2.2 * module
      else { continue }
      // Distances between similar edges do not change with ink spread.
      func off(_ pattern: [Int]) -> Double {
        (0..<7).reduce(0) {
          max($0, abs((w[first + $1] + w[first + $1 + 1]) / module - Double(pattern[$1] + pattern[$1 + 1])))
        }
      }
      let (a, b) = (off(plain), off(linked))
      if min(a, b) < 0.6, abs(a - b) > 0.5 { return b < a }
    }
    return nil
  }

  /// Returns the widths of the elements of the first character of a value; nil if the value is too large.
  private static func widths(_ value: Int) -> [Int]? {
    let character = value / 4_537_077 / 1597
    guard let group = groups.last(where: { $0.first <= character }) else { return nil }
    let rank = character - group.first
    let (odd, even) = (rank / group.even.count, rank % group.even.count)
    guard odd < group.odd.count else { return nil }
    return zip(group.odd.sequence(at: odd), group.even.sequence(at: even)).flatMap { [$0, $1] }
  }

  /// Table 3: the groups of outer characters by the number of modules of their odd elements.
  private static let groups: [(first: Int, odd: ElementWidths, even: ElementWidths)] = [
    (0, 12, 8), (161, 10, 6), (961, 8, 4), (2015, 6, 3), (2715, 4, 1),
  ].map { first, modules, widest in
    (
      first, ElementWidths(elements: 4, modules: modules, widest: widest, needsNarrow: false),
      ElementWidths(elements: 4, modules: 16 - modules, widest: 9 - widest, needsNarrow: true)
    )
  }
}
