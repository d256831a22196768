import WaymarkImage

/// A copy of a drawing with only dark and light pixels, in which each module has the same number of pixels.
struct GridPicture {
  let image: GrayImage
  private let first: Point2
  private let module: Point2

  /// The number of pixels along the side of a module, and across the border, in the new picture.
  private static let (scale, border) = (4, 24)
  /// The least number of edges along each side, and the largest number of modules.
  private static let (fewest, most) = (5, 300)
  /// The width of a module in pixels from which drawings stay as they are, because readers see their modules well.
  private static let coarse = 3.0
  /// The least width of a module, in pixels, that is tried if the shortest run is not one module: at a smaller width, some runs
  /// would shrink.
  private static let least = 2.0
  /// The largest ratio of the sides of a module.
  private static let square = 1.06

  /// - Returns: nil if the picture has more than two tones or does not show one grid.
  init?(_ view: ImageView) {
    guard let edges = Self.edges(of: view), edges.columns.count >= Self.fewest, edges.rows.count >= Self.fewest,
      let across = ModuleGrid(edges.columns[...])
        ?? ModuleGrid(edges.columns[...], near: Self.least...Self.coarse), across.module < Self.coarse,
      let down = ModuleGrid(edges.rows[...], module: across.module)
        ?? ModuleGrid(edges.rows[...], near: (across.module / Self.square)...(across.module * Self.square)),
      let columns = Self.modules(across, edges.columns, end: edges.end.x, limit: view.width),
      let rows = Self.modules(down, edges.rows, end: edges.end.y, limit: view.height)
    else { return nil }
    (first, module) = (Point2(columns.first, rows.first), Point2(across.module, down.module))
    let (scale, width) = (Self.scale, columns.centers.count * Self.scale)
    image = GrayImage(width: width, height: rows.centers.count * scale) { pixels in
      for y in 0..<(rows.centers.count * scale) {
        for x in 0..<width { pixels[y * width + x] = view[columns.centers[x / scale], rows.centers[y / scale]] }
      }
    }.framed(Self.border, tone: view[0, 0])
  }

  /// Returns the border of the first module along one side, and the pixels at the centres of all modules; nil if there are too many.
  ///
  /// - Parameters:
  ///   - end: the pixel after the last dark pixel.
  ///   - limit: the number of pixels of the picture.
  private static func modules(_ grid: ModuleGrid, _ edges: [Int], end: Int, limit: Int) -> (
    first: Double, centers: [Int]
  )? {
    guard let borders = grid.borders(of: edges[...]), let first = borders.first, let last = borders.last else {
      return nil
    }
    // Encoders cut off a part of the last module, whose centre may be missing.
    let begun = Int(((last - first) / grid.module).rounded()) + 1
    let count = max(Int(((Double(end) - first) / grid.module - 0.25).rounded(.up)), begun)
    guard count <= most else { return nil }
    let centers = (0..<count).map { i in
      min(max(Int(first + (Double(i) + 0.5) * grid.module), 0), (i < begun ? end : limit) - 1)
    }
    return (first, centers)
  }

  /// Returns the position in the drawing of a point of the new picture.
  func place(_ point: Point2) -> Point2 {
    first + (point + 0.5 - Double(Self.border)) / Double(Self.scale) * module - 0.5
  }

  /// The least difference between dark and light. A pixel differs from its tone by at most an eighth of the difference.
  private static let contrast = 64

  /// Returns the columns and the rows at which dark modules begin, and the bottom right corner of the last dark module; nil if a
  /// pixel is neither dark nor light. The ends of dark modules are not used, because renderers draw dark modules larger.
  private static func edges(of view: ImageView) -> (columns: [Int], rows: [Int], end: (x: Int, y: Int))? {
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
    return (columns.indices.filter { columns[$0] }, rows.indices.filter { rows[$0] }, (right, bottom))
  }
}
