import CZBar
import WaymarkImage
import WaymarkSystem

/// The `zbar_image_scanner` handle, closed when the value goes. One thread at a time.
///
/// Not the processor of the library: that one would announce every read on D-Bus.
struct ZBarScanner: ~Copyable {
  /// A code as libzbar reports it.
  struct Raw {
    var symbology: Symbology
    var bytes: [UInt8]
    var quality: Int
    /// FNC1 stands first: the content is GS1 element strings.
    var isGS1: Bool
    /// QR: the corners from the top left counterclockwise; 1-D: where scan lines left the code.
    var points: [Point2]
    /// 1-D: read from the right or from below, so the code stands on its head in the picture that was scanned.
    var isUpsideDown = false
  }

  /// The library's result for one picture.
  struct Result {
    var codes: [Raw] = []
    /// The corners of the seen parts of each incomplete structured append.
    var incomplete: [[[Point2]]] = []
  }

  private let handle: OpaquePointer
  private let image: OpaquePointer
  private(set) var symbologies: Set<Symbology>
  private var density: (Int, Int)
  /// QR codes read since the handle was made.
  private(set) var matrixReads = 0
  /// Looks at pictures in which QR codes were wanted, too.
  private(set) var matrixLooks = 0

  init(symbologies: Set<Symbology>, density: Int = 1) throws(BarcodeError) {
    guard !symbologies.isEmpty else { throw .noSymbologies }
    guard let handle = zbar_image_scanner_create() else { throw .scannerUnavailable }
    guard let image = zbar_image_create() else {
      zbar_image_scanner_destroy(handle)
      throw .scannerUnavailable
    }
    self.handle = handle
    self.image = image
    self.symbologies = symbologies
    self.density = (density, density)
    zbar_image_set_format(image, 0x3030_3859)  // "Y800": 8-bit gray
    zbar_image_scanner_set_config(handle, ZBAR_NONE, ZBAR_CFG_ENABLE, 0)
    for type in symbologies.compactMap(\.zbarType) {
      zbar_image_scanner_set_config(handle, type, ZBAR_CFG_ENABLE, 1)
    }
    // The library guesses character sets, and badly: take the bytes.
    zbar_image_scanner_set_config(handle, ZBAR_QRCODE, ZBAR_CFG_BINARY, 1)
    // Not by a method that changes the value: Swift 6.2 takes that for a change of the constants, too.
    if density != 1 { Self.set(handle, x: density, y: density) }
    if symbologies.contains(.dataBar) || symbologies.contains(.dataBarExpanded) { czbar_quiet_assertions() }
  }

  deinit {
    zbar_image_destroy(image)
    zbar_image_scanner_destroy(handle)
  }

  /// Looks for these and nothing else.
  mutating func use(_ wanted: Set<Symbology>) {
    guard wanted != symbologies else { return }
    for symbology in wanted.symmetricDifference(symbologies) {
      guard let type = symbology.zbarType else { continue }
      zbar_image_scanner_set_config(handle, type, ZBAR_CFG_ENABLE, wanted.contains(symbology) ? 1 : 0)
    }
    symbologies = wanted
  }

  /// Looks at every `density`-th row and column.
  mutating func set(density: Int) { set(x: density, y: density) }

  /// Looks at every `y`-th row and every `x`-th column; 0 is none.
  ///
  /// With 1 for either, the library drops EAN and DataBar reads on which fewer than four lines agree; else it keeps
  /// them all.
  mutating func set(x: Int, y: Int) {
    guard density != (x, y) else { return }
    density = (x, y)
    Self.set(handle, x: x, y: y)
  }

  private static func set(_ handle: OpaquePointer, x: Int, y: Int) {
    zbar_image_scanner_set_config(handle, ZBAR_NONE, ZBAR_CFG_X_DENSITY, CInt(x))
    zbar_image_scanner_set_config(handle, ZBAR_NONE, ZBAR_CFG_Y_DENSITY, CInt(y))
  }

  /// Reads a picture whose rows lie without gaps (`stride == width`); nothing of it is copied or kept.
  mutating func scan(_ view: ImageView) -> Result {
    precondition(view.stride == view.width)
    guard view.width > 0, view.height > 0 else { return Result() }
    if symbologies.contains(.qr) { matrixLooks += 1 }
    zbar_image_set_size(image, CUnsignedInt(view.width), CUnsignedInt(view.height))
    zbar_image_set_data(image, view.base, UInt(view.width * view.height), nil)
    defer { zbar_image_set_data(image, nil, 0, nil) }
    guard zbar_scan_image(handle, image) > 0 else { return Result() }
    var result = Result()
    var next = zbar_image_first_symbol(image)
    while let symbol = next {
      let type = zbar_symbol_get_type(symbol)
      if type == ZBAR_PARTIAL {
        result.incomplete.append(Self.parts(of: symbol))
        matrixReads += 1
      } else if let symbology = Symbology(zbarType: type) {
        if symbology.isMatrix { matrixReads += 1 }
        result.codes.append(Self.raw(symbol, symbology))
      }
      next = zbar_symbol_next(symbol)
    }
    return result
  }

  private static func raw(_ symbol: OpaquePointer, _ symbology: Symbology) -> Raw {
    let length = Int(zbar_symbol_get_data_length(symbol))
    let bytes = zbar_symbol_get_data(symbol).map { data in
      data.withMemoryRebound(to: UInt8.self, capacity: length) {
        [UInt8](UnsafeBufferPointer(start: $0, count: length))
      }
    }
    return Raw(
      symbology: symbology, bytes: bytes ?? [], quality: Int(zbar_symbol_get_quality(symbol)),
      isGS1: zbar_symbol_get_modifiers(symbol) & (1 << ZBAR_MOD_GS1.rawValue) != 0, points: points(symbol),
      isUpsideDown: [ZBAR_ORIENT_DOWN, ZBAR_ORIENT_LEFT].contains(zbar_symbol_get_orientation(symbol)))
  }

  private static func points(_ symbol: OpaquePointer) -> [Point2] {
    (0..<zbar_symbol_get_loc_size(symbol)).map {
      Point2(Double(zbar_symbol_get_loc_x(symbol, $0)), Double(zbar_symbol_get_loc_y(symbol, $0)))
    }
  }

  /// The seen parts of a structured append; the library puts symbols without points in the gaps.
  private static func parts(of symbol: OpaquePointer) -> [[Point2]] {
    guard let set = zbar_symbol_get_components(symbol) else { return [] }
    var found: [[Point2]] = []
    var next = zbar_symbol_set_first_symbol(set)
    while let part = next {
      if zbar_symbol_get_type(part) != ZBAR_PARTIAL { found.append(points(part)) }
      next = zbar_symbol_next(part)
    }
    return found
  }
}
