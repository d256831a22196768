import WaymarkImage

/// Reads EAN-13 and UPC-A that the library does not, by `RetailFit`, and asks the same proof for what it read with trouble.
///
/// A check digit and many lines that agree are not proof where bars melt: all lines of a blurred print are wrong alike.
struct RetailRescue {
  /// The result of the fit for the bars of a picture.
  struct Outcome {
    var symbols: [Symbol] = []
    /// Symbols that were read and are not there.
    var refuted: [Symbol] = []
  }

  let image: ImageView
  let symbologies: Set<Symbology>
  let bars: [BarRegion]

  static let symbologies: Set<Symbology> = [.ean13, .upcA]

  /// - Parameters:
  ///   - accepted: the symbols that were read.
  ///   - tried: how much was compared in this picture so far.
  ///   - draw: draws the strip of a region.
  func read(
    beside accepted: [Symbol], tried: inout Int, _ draw: (BarRegion) -> GrayImage
  ) -> Outcome {
    var outcome = Outcome()
    for symbol in accepted where Self.isDoubtful(symbol) {
      // Where another code is certain that was not read elsewhere.
      let region = BarRegion(covering: symbol.corners)
      guard let found = fit(region, draw, &tried),
        let other = self.symbol(found, region, SymbolRules.lead(whereTried: tried)),
        !accepted.contains(where: { $0.sameContent(as: other) })
      else { continue }
      outcome.refuted.append(symbol)
      outcome.symbols.append(other)
    }
    for region in bars {
      guard let found = fit(region, draw, &tried) else { continue }
      if let symbol = symbol(found, region, SymbolRules.lead(whereTried: tried)) { outcome.symbols.append(symbol) }
    }
    return outcome
  }

  /// Returns whether a symbol was read only after its picture was changed, or by few lines.
  private static func isDoubtful(_ symbol: Symbol) -> Bool {
    symbologies.contains(symbol.symbology) && symbol.pass != .fitted && (symbol.pass != .strip || symbol.quality < 10)
  }

  /// Returns whether bars are clear and long enough for 95 modules, and nobody has read them.
  static func isWorthwhile(_ region: BarRegion, beside accepted: [Symbol]) -> Bool {
    guard region.coherence > (accepted.isEmpty ? 0.7 : 0.8), region.length > 95, region.height > 12 else {
      return false
    }
    return !accepted.contains {
      $0.corners.bounds.contains(region.center) || region.corners.contains($0.corners.center)
    }
  }

  private func fit(
    _ region: BarRegion, _ draw: (BarRegion) -> GrayImage, _ tried: inout Int
  ) -> RetailFit.Result? {
    let strip = BarStrip(region)
    let half = region.length / 2 * region.direction
    let (from, to) = (strip.column(of: region.center - half), strip.column(of: region.center + half))
    guard to > from else { return nil }
    var fit = RetailFit(draw(region), span: from...to)
    let reading = fit.read()
    tried += fit.tried
    return reading
  }

  /// The symbol that fits, where it is certain.
  private func symbol(_ found: RetailFit.Result, _ region: BarRegion, _ needed: Double) -> Symbol? {
    guard found.lead > needed, found.bands >= 2 else { return nil }
    let isUPCA = found.digits.first == 0x30 && symbologies.contains(.upcA)
    guard isUPCA || symbologies.contains(.ean13) else { return nil }
    let bytes = isUPCA ? Array(found.digits.dropFirst()) : found.digits
    let strip = BarStrip(region)
    var symbol = Symbol(
      symbology: isUPCA ? .upcA : .ean13, text: String(decoding: bytes, as: UTF8.self), bytes: bytes, charset: .ascii,
      corners: strip.rectangle(found.span), quality: Int(found.lead), pass: .fitted)
    let middle = Double(strip.bands) / 2
    symbol.corners = BarOutline.corners(
      of: symbol, leftAt: [Point2(found.span.lowerBound, middle), Point2(found.span.upperBound, middle)],
      isUpsideDown: found.isUpsideDown, in: strip, of: region, image)
    return symbol
  }
}
