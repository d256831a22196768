/// The grids of modules that matrix symbologies have.
extension Symbology {
  /// The numbers of modules that a symbol may have in a row and in a column, its quiet zone left out; empty where its
  /// elements lie in no such grid.
  package var moduleGrids: [(columns: Int, rows: Int)] {
    func squares(_ sides: some Sequence<Int>) -> [(columns: Int, rows: Int)] { sides.map { ($0, $0) } }
    switch self {
    case .qr: return squares((1...40).lazy.map { 17 + 4 * $0 })
    case .microQR: return squares([11, 13, 15, 17])
    case .aztec:
      // ISO/IEC 24778: runes and compact ones, then full ones with a reference line every sixteen modules.
      let full = (1...32).map { layers in
        let plain = 14 + 4 * layers
        return plain + 1 + 2 * ((plain / 2 - 1) / 15)
      }
      return squares(Set([11, 15, 19, 23, 27] + full).sorted())
    case .dataMatrix: return DataMatrixSize.all.map { ($0.columns, $0.rows) }
    default: return []
    }
  }
}
