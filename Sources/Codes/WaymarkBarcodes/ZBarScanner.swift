import CZBar
import WaymarkImage
import WaymarkSystem

/// Owns a `zbar_image_scanner` handle, which is destroyed with the value. Use it from one thread at a time.
///
/// libzbar's processor is not used because it would announce every read on D-Bus.
struct ZBarScanner: ~Copyable {
  /// A code as libzbar reports it.
  struct Raw {
    var symbology: Symbology
    var bytes: [UInt8]
    /// 1-D: the number of scan lines that agree; QR: 1.
    var quality: Int
    /// True if the content begins with FNC1: it consists of GS1 element strings.
    var isGS1: Bool
    /// QR: the corners counterclockwise from the top left; 1-D: the points where scan lines left the code.
    var points: [Point2]
    /// 1-D: true if read from right to left or upwards, so that the code is upside down in the scanned picture.
    var isUpsideDown = false
    /// 1-D: true if read along rows of the scanned picture, false if along columns.
    var isAlongRows = true
  }

  /// The result of libzbar for one picture.
  struct Result {
    var codes: [Raw] = []
    /// Codes that may be parts of longer codes, because their quiet zone was not seen.
    var parts: [Raw] = []
    /// For each incomplete structured append, the corners of each part that was seen.
    var incomplete: [[[Point2]]] = []
  }

  private let handle: OpaquePointer
  private let image: OpaquePointer
  private(set) var symbologies: Set<Symbology>
  private var density = (1, 1)
  /// The number of QR codes read since the handle was created.
  private(set) var matrixReads = 0
  /// The number of scans in which QR codes were enabled.
  private(set) var matrixLooks = 0

  init(symbologies: Set<Symbology>) throws(BarcodeError) {
    guard !symbologies.isEmpty else { throw .noSymbologies }
    guard let handle = zbar_image_scanner_create() else { throw .scannerUnavailable }
    guard let image = zbar_image_create() else {
      zbar_image_scanner_destroy(handle)
      throw .scannerUnavailable
    }
    self.handle = handle
    self.image = image
    self.symbologies = symbologies
    zbar_image_set_format(image, 0x3030_3859)  // "Y800": 8-bit gray
    zbar_image_scanner_set_config(handle, ZBAR_NONE, ZBAR_CFG_ENABLE, 0)
    for type in symbologies.compactMap(\.row.zbar) {
      zbar_image_scanner_set_config(handle, type, ZBAR_CFG_ENABLE, 1)
    }
    // libzbar often guesses character sets wrongly, so it is asked for the bytes.
    zbar_image_scanner_set_config(handle, ZBAR_QRCODE, ZBAR_CFG_BINARY, 1)
    if symbologies.contains(.dataBar) || symbologies.contains(.dataBarExpanded) { czbar_quiet_assertions() }
  }

  deinit {
    zbar_image_destroy(image)
    zbar_image_scanner_destroy(handle)
  }

  /// Enables exactly the symbologies `wanted`.
  mutating func use(_ wanted: Set<Symbology>) {
    guard wanted != symbologies else { return }
    for symbology in wanted.symmetricDifference(symbologies) {
      guard let type = symbology.row.zbar else { continue }
      zbar_image_scanner_set_config(handle, type, ZBAR_CFG_ENABLE, wanted.contains(symbology) ? 1 : 0)
    }
    symbologies = wanted
  }

  /// Scans every `y`-th row and every `x`-th column; 0 scans none.
  ///
  /// If either is 1, libzbar drops EAN and DataBar codes on which fewer than four lines agree; otherwise it reports all of them.
  mutating func set(x: Int, y: Int) {
    guard density != (x, y) else { return }
    density = (x, y)
    zbar_image_scanner_set_config(handle, ZBAR_NONE, ZBAR_CFG_X_DENSITY, CInt(x))
    zbar_image_scanner_set_config(handle, ZBAR_NONE, ZBAR_CFG_Y_DENSITY, CInt(y))
  }

  /// Reads a picture whose rows are contiguous (`stride == width`); no pixels are copied or kept.
  ///
  /// - Parameter visible: returns the range of columns of a row that lie in the source picture, if a strip extends
  ///   beyond it.
  mutating func scan(_ view: ImageView, visible: ((_ row: Int) -> ClosedRange<Double>)? = nil) -> Result {
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
      } else if let symbology = Symbology.allCases.first(where: { $0.row.zbar == type }) {
        if symbology.isMatrix { matrixReads += 1 }
        let raw = Self.raw(symbol, symbology)
        if symbology.row.linear?.zone(of: raw.bytes)?.surrounds(raw, in: view, visible: visible) == false {
          result.parts.append(raw)
        } else if let code = raw.verified(in: view, visible: visible) {
          result.codes.append(code)
        }
      }
      next = zbar_symbol_next(symbol)
    }
    return result
  }

  private static func raw(_ symbol: OpaquePointer, _ symbology: Symbology) -> Raw {
    let orientation = zbar_symbol_get_orientation(symbol)
    let length = Int(zbar_symbol_get_data_length(symbol))
    let bytes = zbar_symbol_get_data(symbol).map { data in
      data.withMemoryRebound(to: UInt8.self, capacity: length) {
        [UInt8](UnsafeBufferPointer(start: $0, count: length))
      }
    }
    return Raw(
      symbology: symbology, bytes: bytes ?? [], quality: Int(zbar_symbol_get_quality(symbol)),
      isGS1: zbar_symbol_get_modifiers(symbol) & (1 << ZBAR_MOD_GS1.rawValue) != 0, points: points(symbol),
      isUpsideDown: [ZBAR_ORIENT_DOWN, ZBAR_ORIENT_LEFT].contains(orientation),
      isAlongRows: ![ZBAR_ORIENT_RIGHT, ZBAR_ORIENT_LEFT].contains(orientation))
  }

  private static func points(_ symbol: OpaquePointer) -> [Point2] {
    (0..<zbar_symbol_get_loc_size(symbol)).map {
      Point2(Double(zbar_symbol_get_loc_x(symbol, $0)), Double(zbar_symbol_get_loc_y(symbol, $0)))
    }
  }

  /// Returns the corners of each seen part of a structured append; libzbar reports the missing parts as symbols without points.
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

// MARK: - Conversion

extension Symbol {
  /// Creates a symbol from a code that libzbar read; nil if its content is empty.
  init?(_ raw: ZBarScanner.Raw, pass: ScanPass) {
    guard !raw.bytes.isEmpty else { return nil }
    let text: String
    let charset: Charset
    if raw.symbology.isMatrix {
      (text, charset) = Charset.decode(raw.bytes)
    } else {
      // 1-D symbologies carry ASCII; Code 128 can also encode Latin-1 by FNC4, and its FNC1 separators are ASCII 29.
      charset = raw.bytes.allSatisfy { $0 < 0x80 } ? .ascii : .latin1
      text = String(String.UnicodeScalarView(raw.bytes.map { Unicode.Scalar($0) }))
    }
    let isGS1 = raw.isGS1 || raw.symbology.row.linear?.isGS1 == true
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
  /// Creates the outline of a matrix code from libzbar's four corners, counterclockwise from the top left; nil for
  /// another number of them.
  init?(zbarMatrix p: [Point2]) {
    guard p.count == 4 else { return nil }
    self = Quadrilateral(corners: p).reversed
  }

  /// Creates the axis-aligned rectangle around points.
  init(enclosing points: [Point2]) {
    let bounds = Bounds(around: points)
    let (low, high) = (bounds.min, bounds.max)
    self.init(
      topLeft: low, topRight: Point2(high.x, low.y), bottomRight: high, bottomLeft: Point2(low.x, high.y))
  }
}
