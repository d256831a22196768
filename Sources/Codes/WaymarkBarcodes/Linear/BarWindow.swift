import WaymarkImage

/// A part of a picture around places that look like bars, and the lines along which these may be read.
struct BarWindow {
  /// The lines of a picture along which bars may be read.
  enum Ways { case rows, columns, both }

  /// In pixels of the picture.
  private(set) var bounds: Bounds
  private(set) var ways: Ways
  /// True if it is the whole picture.
  let isWhole: Bool

  /// The whole picture.
  init(_ image: ImageView, _ ways: Ways = .both) {
    bounds = Bounds(min: [0, 0], max: [Double(image.width), Double(image.height)])
    self.ways = ways
    isWhole = true
  }

  private init(_ region: BarRegion, in image: ImageView) {
    // Quiet zones, and bars that were too weak to be seen as such or stand alone because modules are large.
    let reach = Point2(region.length * 0.75 + region.height * 0.1 + 16, region.height * 0.55 + 16)
    let (u, v) = (region.direction, region.upright)
    let half = Point2(abs(u.x) * reach.x + abs(v.x) * reach.y, abs(u.y) * reach.x + abs(v.y) * reach.y)
    let all = Point2(Double(image.width), Double(image.height))
    bounds = Bounds(
      min: pointwiseMax([0, 0], region.center - half), max: pointwiseMin(all, region.center + half))
    // Lines that cross bars at up to 30° from the right angle read them.
    ways = abs(u.x) > 1.7 * abs(u.y) ? .rows : abs(u.y) > 1.7 * abs(u.x) ? .columns : .both
    isWhole = false
  }

  /// The windows around regions, those that overlap made one where that costs little.
  static func windows(around regions: [BarRegion], in image: ImageView) -> [BarWindow] {
    var windows: [BarWindow] = []
    for region in regions {
      var window = BarWindow(region, in: image)
      guard window.area > 0 else { continue }
      while let other = windows.firstIndex(where: { window.joined($0) != nil }) {
        if let joined = window.joined(windows[other]) { window = joined }
        windows.remove(at: other)
      }
      windows.append(window)
    }
    return windows
  }

  var area: Double { max(0, bounds.max.x - bounds.min.x) * max(0, bounds.max.y - bounds.min.y) }

  /// One around both; `nil` where they lie apart, or most of it would be in neither.
  private func joined(_ other: BarWindow) -> BarWindow? {
    var whole = self
    whole.bounds = Bounds(
      min: pointwiseMin(bounds.min, other.bounds.min), max: pointwiseMax(bounds.max, other.bounds.max))
    if ways != other.ways { whole.ways = .both }
    return whole.area <= 1.4 * (area + other.area) && overlaps(other) ? whole : nil
  }

  private func overlaps(_ other: BarWindow) -> Bool {
    bounds.min.x < other.bounds.max.x && other.bounds.min.x < bounds.max.x && bounds.min.y < other.bounds.max.y
      && other.bounds.min.y < bounds.max.y
  }

  /// The same in a picture of `factor` times the size.
  func scaled(by factor: Double) -> BarWindow {
    var other = self
    other.bounds = Bounds(min: bounds.min * factor, max: bounds.max * factor)
    return other
  }

  /// A copy of what it shows of a picture, and where that begins: on the grid of blocks that passes lay over the whole picture, its half
  /// and its third, so that they see the same of it.
  func cut(from view: ImageView) -> (image: GrayImage, corner: Point2) {
    let grid = 48
    let (x, y) = (Int(bounds.min.x) / grid * grid, Int(bounds.min.y) / grid * grid)
    let part = view.cropped(
      x: x, y: y, width: (Int(bounds.max.x.rounded(.up)) - x + grid - 1) / grid * grid,
      height: (Int(bounds.max.y.rounded(.up)) - y + grid - 1) / grid * grid)
    return (GrayImage(copying: part), Point2(Double(x), Double(y)))
  }
}
