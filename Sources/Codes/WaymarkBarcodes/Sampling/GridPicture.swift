import WaymarkImage

/// A copy of a drawing with only dark and light pixels, in which each module has the same number of pixels.
struct GridPicture {
  let image: GrayImage
  private let first: Point2
  private let module: Point2

  /// The number of pixels of a module, and of the border, in the new picture.
  private static let (scale, border) = (4, 24)
  /// The least number of edges along each side, and the largest number of modules.
  private static let (fewest, most) = (5, 300)
  /// The width of a module in pixels from which drawings are not redrawn, because readers see their modules well.
  private static let coarse = 3.0
  /// The largest ratio of the sides of a module.
  private static let square = 1.06

  /// - Returns: nil if the picture has other tones or does not show one grid.
  init?(_ view: ImageView) {
    guard let edges = Self.edges(of: view), edges.columns.count >= Self.fewest, edges.rows.count >= Self.fewest,
      let across = ModuleGrid(edges.columns[...]), across.module < Self.coarse,
      let down = ModuleGrid(edges.rows[...], near: (across.module / Self.square)...(across.module * Self.square)),
      let left = across.borders(of: edges.columns[...])?.first, let top = down.borders(of: edges.rows[...])?.first
    else { return nil }
    let (first, module) = (Point2(left, top), Point2(across.module, down.module))
    (self.first, self.module) = (first, module)
    // Encoders may cut off a part of the last module.
    let size = (edges.end - first) / module - 0.25
    let (wide, high) = (Int(size.x.rounded(.up)), Int(size.y.rounded(.up)))
    guard wide > 0, high > 0, wide <= Self.most, high <= Self.most else { return nil }
    let (scale, width) = (Self.scale, wide * Self.scale)
    image = GrayImage(width: width, height: high * scale) { pixels in
      for y in 0..<(high * scale) {
        let row = Int(first.y + (Double(y / scale) + 0.5) * module.y)
        for x in 0..<width {
          let column = Int(first.x + (Double(x / scale) + 0.5) * module.x)
          pixels[y * width + x] = view[min(max(column, 0), view.width - 1), min(max(row, 0), view.height - 1)]
        }
      }
    }.framed(Self.border, tone: view[0, 0])
  }

  /// Returns the position in the drawing of a point of the new picture.
  func place(_ point: Point2) -> Point2 {
    first + (point + 0.5 - Double(Self.border)) / Double(Self.scale) * module - 0.5
  }

  /// The least difference between dark and light. A pixel differs from its tone by at most an eighth of the difference.
  private static let contrast = 64

  /// Returns the columns and the rows at which dark modules begin, and the bottom right corner of the last of them; nil if a pixel
  /// is neither dark nor light. The ends of dark modules are not used, because renderers draw dark modules larger.
  private static func edges(of view: ImageView) -> (columns: [Int], rows: [Int], end: Point2)? {
    guard view.width > 1, view.height > 1 else { return nil }
    var (low, high) = (UInt8.max, UInt8.min)
    for y in 0..<view.height {
      for level in UnsafeBufferPointer(start: view.row(y), count: view.width) {
        (low, high) = (min(low, level), max(high, level))
      }
    }
    guard Int(high) - Int(low) >= contrast else { return nil }
    let slack = (high - low) / 8
    var (columns, rows) = ([Bool](repeating: false, count: view.width), [Bool](repeating: false, count: view.height))
    var (right, bottom) = (0, 0)
    for y in 0..<view.height {
      let (row, above) = (view.row(y), view.row(max(0, y - 1)))
      for x in 0..<view.width where row[x] < high - slack {
        guard row[x] <= low + slack else { return nil }
        (right, bottom) = (max(right, x + 1), y + 1)
        if x > 0, row[x - 1] >= high - slack { columns[x] = true }
        if above[x] >= high - slack { rows[y] = true }
      }
    }
    let end = Point2(Double(right), Double(bottom))
    return (columns.indices.filter { columns[$0] }, rows.indices.filter { rows[$0] }, end)
  }
}
