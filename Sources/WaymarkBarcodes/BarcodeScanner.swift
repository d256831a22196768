import WaymarkGeometry
public import WaymarkImage

/// Reads codes from gray pictures. One scanner a thread: it is a handle that is owned, not shared.
public struct BarcodeScanner: ~Copyable {
  /// What is looked for, and how hard.
  public let configuration: ScanConfiguration
  private var zbar: ZBarScanner

  /// The library keeps 556 bytes of every QR code that it reads until its handle is closed; so the handle is renewed
  /// after this many, which bounds the growth to 142 kB.
  private static let readsPerHandle = 256

  /// A scanner for what `configuration` says.
  public init(_ configuration: ScanConfiguration = .still) throws(BarcodeError) {
    self.configuration = configuration
    zbar = try ZBarScanner(symbologies: configuration.symbologies)
  }

  /// Reads every code in a picture.
  ///
  /// - Parameter image: 8-bit gray; not copied when its rows lie without gaps.
  public mutating func scan(_ image: ImageView) -> ScanReading {
    renewIfWorn()
    if image.stride == image.width { return read(image) }
    return GrayImage(copying: image).withView { read($0) }
  }

  private mutating func read(_ image: ImageView) -> ScanReading {
    let raw = zbar.scan(image)
    var reading = ScanReading()
    for code in raw.codes {
      guard let symbol = Symbol(code, pass: .base), configuration.effort == .plain || SymbolRules.isPlausible(symbol)
      else { continue }
      reading.symbols.append(symbol)
    }
    reading.incomplete = raw.incomplete.map { parts in
      IncompleteSymbol(count: nil, present: [], missing: [], corners: parts.compactMap(Quadrilateral.init(zbarMatrix:)))
    }
    return reading
  }

  private mutating func renewIfWorn() {
    guard zbar.matrixReads >= Self.readsPerHandle else { return }
    if let fresh = try? ZBarScanner(symbologies: configuration.symbologies) { zbar = fresh }
  }
}
