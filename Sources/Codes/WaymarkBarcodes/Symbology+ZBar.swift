import CZBar

extension Symbology {
  /// The type that libzbar calls it; `nil` for one that it does not read.
  var zbarType: zbar_symbol_type_t? {
    switch self {
    case .qr: ZBAR_QRCODE
    case .sq: ZBAR_SQCODE
    case .ean13: ZBAR_EAN13
    case .ean8: ZBAR_EAN8
    case .upcA: ZBAR_UPCA
    case .upcE: ZBAR_UPCE
    case .code128: ZBAR_CODE128
    case .code39: ZBAR_CODE39
    case .code93: ZBAR_CODE93
    case .codabar: ZBAR_CODABAR
    case .itf: ZBAR_I25
    case .dataBar: ZBAR_DATABAR
    case .dataBarExpanded: ZBAR_DATABAR_EXP
    case .dataBarLimited, .code32, .standard2of5, .telepen, .pharmacode, .ean2, .ean5, .dataMatrix, .aztec, .pdf417,
      .microPDF417, .microQR, .rMQR, .maxiCode:
      nil
    }
  }

  init?(zbarType: zbar_symbol_type_t) {
    guard let found = Self.allCases.first(where: { $0.zbarType == zbarType }) else { return nil }
    self = found
  }
}
