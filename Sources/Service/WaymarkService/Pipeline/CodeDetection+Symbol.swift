package import WaymarkAnchors
package import WaymarkBarcodes

extension CodeDetection {
  /// A symbol that was read, to be followed.
  ///
  /// - Parameter physicalWidth: of the printed symbol in metres, without its quiet zone; `nil` where unknown.
  package init(_ symbol: Symbol, physicalWidth: Double? = nil) {
    let grids = symbol.symbology.moduleGrids.map { SIMD2($0.columns, $0.rows) }
    self.init(
      content: Content(symbology: symbol.symbology.rawValue, bytes: symbol.bytes), corners: symbol.corners,
      grids: grids, isLinear: !symbol.symbology.isMatrix,
      // A symbol that corrects its own errors is trusted at once, as by an armed scan.
      isCertain: symbol.symbology.isMatrix, physicalWidth: physicalWidth)
  }
}
