import WaymarkGeometry
public import WaymarkImage
import WaymarkSymbologies
public import WaymarkSystem

/// Reads codes from gray pictures. One scanner a thread: it is a handle that is owned, not shared.
public struct BarcodeScanner: ~Copyable {
  /// The symbologies to look for, and the effort.
  public let configuration: ScanConfiguration
  var zbar: ZBarScanner
  /// Told where the time of live frames goes.
  package var stages: StageTimes?
  /// Counts live frames: the passes take turns.
  var turn = 0

  /// The library keeps 556 bytes of every QR code that it reads until its handle is closed; so the handle is renewed
  /// after this many, which bounds the growth to 142 kB.
  private static let readsPerHandle = 256

  /// A scanner for what `configuration` says.
  public init(_ configuration: ScanConfiguration = .still) throws(BarcodeError) {
    self.configuration = configuration
    zbar = try ZBarScanner(symbologies: configuration.symbologies)
  }

  /// Reads the codes in a picture.
  ///
  /// - Parameter image: 8-bit gray; not copied when its rows lie without gaps.
  public mutating func scan(_ image: ImageView) -> ScanReading {
    renewIfWorn()
    guard image.width > 0, image.height > 0 else { return ScanReading() }
    if image.stride == image.width { return read(image) }
    return GrayImage(copying: image).withView { read($0) }
  }

  private mutating func read(_ image: ImageView) -> ScanReading {
    switch configuration.effort {
    case .plain: readPlain(image)
    case .still: readStill(image)
    case .live: readLive(image)
    }
  }

  private mutating func readPlain(_ image: ImageView) -> ScanReading {
    var reading = ScanReading()
    var wanted = configuration.symbologies
    if wanted.contains(.qr), !Self.isHarmless(image) {
      wanted.remove(.qr)
      reading.limited = true
    }
    guard !wanted.isEmpty else { return reading }
    zbar.use(wanted)
    let raw = zbar.scan(image)
    reading.symbols = raw.codes.compactMap { Symbol($0, pass: .base) }
    reading.incomplete = raw.incomplete.map { IncompleteSymbol(zbarParts: $0) }
    return reading
  }

  /// Returns whether the library may look for QR codes: it tries each finder pattern with each, for minutes where there are
  /// thousands.
  private static func isHarmless(_ image: ImageView) -> Bool {
    let search = FinderSearch(image, levels: BlockMean(image))
    return !search.isLimited && search.looks < 1500 && search.found[0].count + search.found[1].count < 250
  }

  /// The library also keeps one half of an EAN from picture to picture, and joins it with the other half of another code:
  /// frames show one scene, stills do not.
  private mutating func renewIfWorn() {
    guard configuration.effort == .still || zbar.matrixReads >= Self.readsPerHandle else { return }
    if let fresh = try? ZBarScanner(symbologies: configuration.symbologies) { zbar = fresh }
  }
}

extension IncompleteSymbol {
  init(zbarParts parts: [[Point2]]) {
    self.init(count: nil, present: [], missing: [], corners: parts.compactMap(Quadrilateral.init(zbarMatrix:)))
  }
}
