import WaymarkImage

extension Symbol {
  /// Converts a result of the library: text, GS1 elements, corners.
  init?(_ raw: ZBarScanner.Raw, pass: ScanPass) {
    guard !raw.bytes.isEmpty else { return nil }
    var text: String
    let charset: Charset
    if raw.symbology == .qr || raw.symbology == .sq {
      (text, charset) = Charset.decode(raw.bytes)
    } else {
      // 1-D symbologies carry ASCII; Code 128 may reach into Latin-1 by FNC4, and its FNC1 separators are ASCII 29.
      charset = raw.bytes.allSatisfy { $0 < 0x80 } ? .ascii : .latin1
      text = String(String.UnicodeScalarView(raw.bytes.map { Unicode.Scalar($0) }))
      if raw.symbology == .code39, let resolved = Code39FullASCII.resolve(text) { text = resolved }
    }
    let isGS1 = raw.isGS1 || raw.symbology == .dataBar || raw.symbology == .dataBarExpanded
    self.init(
      symbology: raw.symbology, text: text, bytes: raw.bytes, charset: charset,
      gs1: isGS1 ? GS1Element.parse(text) ?? [] : [],
      corners: raw.symbology.isMatrix
        ? Quadrilateral(zbarMatrix: raw.points) ?? Quadrilateral(enclosing: raw.points)
        : Quadrilateral(enclosing: raw.points),
      quality: raw.quality, pass: pass)
  }
}

extension Quadrilateral {
  /// The corners of a matrix code as the library gives them: from the top left counterclockwise.
  init?(zbarMatrix p: [Point2]) {
    guard p.count == 4 else { return nil }
    self = Quadrilateral(corners: p).reversed
  }

  /// The upright rectangle around some points.
  init(enclosing points: [Point2]) {
    let bounds = Bounds(around: points)
    let (low, high) = (bounds.min, bounds.max)
    self.init(
      topLeft: low, topRight: Point2(high.x, low.y), bottomRight: high, bottomLeft: Point2(low.x, high.y))
  }
}
