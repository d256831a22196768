/// The modules of a code as they were sampled, row by row.
package struct ModuleMatrix {
  package let columns: Int
  package let rows: Int
  package var dark: [Bool]
  /// How far each lies from the level that parts dark from light, as a share of half the contrast around; empty where that
  /// is not known.
  package var margins: [Float] = []

  package init(columns: Int, rows: Int, dark: [Bool]) {
    self.columns = columns
    self.rows = rows
    self.dark = dark
  }

  package subscript(x: Int, y: Int) -> Bool { dark[y * columns + x] }

  /// How sure it is whether a module is dark, 0 to 1.
  package func margin(_ x: Int, _ y: Int) -> Float { margins.isEmpty ? 1 : margins[y * columns + x] }

  /// The share of the modules of fixed patterns that is as it should be.
  ///
  /// - Parameter fixed: whether a module is dark in every symbol; `nil` for the others.
  package func agreement(_ fixed: (_ x: Int, _ y: Int) -> Bool?) -> Double {
    var (right, all) = (0, 0)
    for y in 0..<rows {
      for x in 0..<columns {
        guard let isDark = fixed(x, y) else { continue }
        all += 1
        if self[x, y] == isDark { right += 1 }
      }
    }
    return Double(right) / Double(max(1, all))
  }

  /// Rows for columns: a code seen in a mirror or through glass.
  package var transposed: ModuleMatrix { picked(columns: rows, rows: columns) { ($1, $0) } }

  /// The modules in another order: for each the place from which it comes.
  package func picked(columns: Int, rows: Int, _ from: (_ x: Int, _ y: Int) -> (Int, Int)) -> ModuleMatrix {
    var other = ModuleMatrix(columns: columns, rows: rows, dark: [Bool](repeating: false, count: columns * rows))
    other.margins = margins.isEmpty ? [] : [Float](repeating: 0, count: columns * rows)
    for y in 0..<rows {
      for x in 0..<columns {
        let (u, v) = from(x, y)
        other.dark[y * columns + x] = dark[v * self.columns + u]
        if !margins.isEmpty { other.margins[y * columns + x] = margins[v * self.columns + u] }
      }
    }
    return other
  }
}
