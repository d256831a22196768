import WaymarkImage

/// Reads Han Xin Code symbols (ISO/IEC 20830) by the finder patterns at their four corners; the pattern at the bottom left points
/// inwards.
struct HanXinReader {
  private let view: ImageView
  /// The largest number of sets of finder patterns that are fitted, and the number of sets that may fail to decode before the
  /// search ends.
  private static let (sets, failures) = (40, 6)

  static func detections(_ search: inout MatrixSearch) -> [MatrixDetection] {
    let reader = HanXinReader(view: search.view)
    let found = reader.read(HanXinFinder.find(search.view, levels: search.levels, step: search.step))
    guard search.isStill, !found.contains(where: \.isRead) else { return found }
    // Sharpening separates the merged runs of blurred finder patterns. For large modules, it works at half the size.
    for scale in [1, 2] {
      let picture = scale == 1 ? sharpened(search.view) : search.view.shrunk(by: scale).withView(sharpened)
      let finders = picture.withView { HanXinFinder.find($0, levels: BlockMean($0), step: search.step) }
      let more = reader.read(finders.map { $0.placed(scale: Double(scale)) })
      if more.contains(where: \.isRead) { return more }
    }
    return found
  }

  /// The standard deviation in pixels of the blur whose difference from the picture is amplified, and the factor of this difference.
  private static let (detail, gain) = (2.5, 3)

  private static func sharpened(_ view: ImageView) -> GrayImage {
    let (width, height) = (view.width, view.height)
    return GrayImage(width: width, height: height) { pixels in
      guard let target = pixels.baseAddress else { return }
      for y in 0..<height { (target + y * width).update(from: view.row(y), count: width) }
      GaussianBlur.apply(target, width: width, height: height, sigma: detail)
      for y in 0..<height {
        let (line, own) = (view.row(y), target + y * width)
        for x in 0..<width {
          let level = Int(line[x])
          own[x] = UInt8(clamping: level + gain * (level - Int(own[x])))
        }
      }
    }
  }

  private func read(_ finders: [HanXinFinder]) -> [MatrixDetection] {
    var detections: [MatrixDetection] = []
    var (tried, failed) = (0, 0)
    for corners in Self.corners(finders) where tried < Self.sets && failed < Self.failures {
      if detections.contains(where: { $0.isRead && $0.corners.contains(corners.middle) }) { continue }
      tried += 1
      guard let found = read(corners) else { continue }
      if !found.isRead { failed += 1 }
      detections.append(found)
    }
    return detections
  }

  // MARK: The corners

  /// The finder patterns of a symbol; either the one at the top right or the one at the bottom left may be missing.
  private struct Corners {
    var topLeft: HanXinFinder
    var topRight: HanXinFinder?
    var bottomRight: HanXinFinder
    var bottomLeft: HanXinFinder?
    /// The deviation from the expected directions and distances; lower is better.
    var doubt = 0.0

    var middle: Point2 { (topLeft.center + bottomRight.center) / 2 }
  }

  /// Returns the centres of the blocks in modules, from the top left clockwise.
  private static func blocks(_ side: Double) -> [Point2] {
    [[5.5, 5.5], [side - 5.5, 5.5], [side - 5.5, side - 5.5], [1.5, side - 1.5]]
  }

  /// Returns the sets of finder patterns that may belong to one symbol, the best first.
  private static func corners(_ finders: [HanXinFinder]) -> [Corners] {
    var sets: [Corners] = []
    for (i, a) in finders.enumerated() {
      for b in finders[(i + 1)...] where a.isLight == b.isLight {
        let across = a.center - b.center
        let length = across.length
        // Top left and bottom right point away from each other.
        guard max(a.module, b.module) < 2 * min(a.module, b.module), length > 10 * min(a.module, b.module),
          a.diagonal.dot(across) > 0.85 * length, b.diagonal.dot(across) < -0.85 * length
        else { continue }
        let middle = (a.center + b.center) / 2
        // The other two point to the top right.
        var best: (right: HanXinFinder?, left: HanXinFinder?, doubt: Double)?
        for right in finders where right.isLight == a.isLight {
          let off = right.center - middle
          let turn = off.cross(across) / (length * off.length + 1e-9)
          guard abs(turn) > 0.8, off.length > 0.25 * length, off.length < 0.9 * length,
            right.diagonal.dot(off) > 0.8 * off.length, right.module < 2.5 * a.module, a.module < 2.5 * right.module
          else { continue }
          let left = finders.filter { other in
            let way = middle - other.center
            return other.isLight == a.isLight && way.dot(off) > 0.85 * way.length * off.length
              && way.length > 0.25 * length && way.length < 1.1 * length && other.diagonal.dot(off) > 0.7 * off.length
          }
          for left in left.map(Optional.some) + [nil] {
            var doubt: Double = 2 - abs(turn) - right.diagonal.dot(off) / off.length
            if let left { doubt += abs((middle - left.center).length / off.length - 1.2) } else { doubt += 1 }
            if doubt < best?.doubt ?? .infinity { best = (right, left, doubt) }
          }
        }
        if best == nil {
          for left in finders where left.isLight == a.isLight {
            let way = middle - left.center
            let turn = way.cross(across) / (length * way.length + 1e-9)
            guard abs(turn) > 0.8, way.length > 0.3 * length, way.length < 1.1 * length,
              left.diagonal.dot(way) > 0.7 * way.length
            else { continue }
            let doubt: Double = 3 - abs(turn) - left.diagonal.dot(way) / way.length
            if doubt < best?.doubt ?? .infinity { best = (nil, left, doubt) }
          }
        }
        guard let best else { continue }
        let up = best.right.map { $0.center - middle } ?? best.left.map { middle - $0.center } ?? [0, 0]
        let isFirst = up.cross(across) < 0
        sets.append(
          Corners(
            topLeft: isFirst ? a : b, topRight: best.right, bottomRight: isFirst ? b : a, bottomLeft: best.left,
            doubt: best.doubt))
      }
    }
    return sets.sorted { $0.doubt < $1.doubt }
  }

  // MARK: The symbol

  /// The largest deviation of a version's side from the estimated side, as a share, and the number of best-fitting versions that
  /// are refined.
  private static let (tolerance, candidates) = (0.25, 4)
  /// The ways of sampling that are tried: the radius of the threshold's neighbourhood in modules, and the amount of sharpening.
  private static let renderings: [(radius: Int, sharpen: Float)] = [(4, 0), (4, 0.6), (4, 1.2), (6, 2)]

  private func read(_ corners: Corners) -> MatrixDetection? {
    let isLight = corners.topLeft.isLight
    let module = (corners.topLeft.module + corners.bottomRight.module) / 2
    let across = corners.topLeft.center.distance(to: corners.bottomRight.center)
    let side = across / (2.0.squareRoot() * module) + 11
    var fits: [(version: Int, map: Homography, score: Double)] = []
    for version in HanXinLayout.versions {
      let own = Double(HanXinLayout.side(version))
      guard abs(own - side) < Self.tolerance * side + 3, let map = Self.map(corners, own) else { continue }
      fits.append((version, map, refinement(version, nil, isLight).score(map)))
    }
    fits.sort { $0.score > $1.score }
    var tried: Set<Int> = []
    for fit in fits.prefix(Self.candidates) where fit.score > 8 {
      let (map, _) = refinement(fit.version, nil, isLight).refine(fit.map, module: module)
      for version in information(map, fit.version, isLight).map(\.version) where tried.insert(version).inserted {
        let start = version == fit.version ? map : fits.first { $0.version == version }?.map
        if let found = start.flatMap({ read($0, version, module: module, isLight) }) { return found }
      }
    }
    return nil
  }

  /// Returns the map from modules to the centres of the blocks in pixels; `nil` if more than one block is missing.
  private static func map(_ corners: Corners, _ side: Double) -> Homography? {
    let places = blocks(side)
    let points = [corners.topLeft, corners.topRight, corners.bottomRight, corners.bottomLeft].map { $0?.center }
    let known = places.indices.filter { points[$0] != nil }
    guard known.count == 4 else {
      // The three others give the missing block of a flat symbol.
      guard known.count == 3, let missing = places.indices.first(where: { points[$0] == nil }) else { return nil }
      let (a, b, c) = (places[known[0]], places[known[1]], places[known[2]])
      let (p, q, r) = (points[known[0]] ?? a, points[known[1]] ?? b, points[known[2]] ?? c)
      let (u, v, w) = (b - a, c - a, places[missing] - a)
      let area = u.cross(v)
      let (s, t) = (w.cross(v) / area, u.cross(w) / area)
      var all = points.compactMap { $0 }
      all.insert(p + (q - p) * s + (r - p) * t, at: missing)
      return Homography(from: Quadrilateral(corners: places), to: Quadrilateral(corners: all))
    }
    return Homography(from: Quadrilateral(corners: places), to: Quadrilateral(corners: points.compactMap { $0 }))
  }

  /// The largest number of known modules that a grid is fitted to.
  private static let most = 1200

  /// Returns a refinement of the grid by the finder patterns.
  ///
  /// - Parameter layout: the layout, to also fit the grid to the alignment lines; `nil` for the finder patterns alone.
  private func refinement(_ version: Int, _ layout: HanXinLayout?, _ isLight: Bool) -> GridRefinement {
    let side = HanXinLayout.side(version)
    var known: [KnownModule] = []
    func add(_ x: Int, _ y: Int, _ isDark: Bool?) {
      if let isDark { known.append(KnownModule(at: [Double(x) + 0.5, Double(y) + 0.5], isDark: isDark)) }
    }
    let ends = Array(0..<8) + Array((side - 8)..<side)
    for y in ends { for x in ends { add(x, y, HanXinLayout.tone(x, y, side)) } }
    if let layout {
      let lines = layout.fixed.indices.filter { layout.fixed[$0] != nil }
      for i in stride(from: 0, to: lines.count, by: max(1, lines.count / Self.most)) {
        add(lines[i] % side, lines[i] / side, layout.fixed[lines[i]])
      }
    }
    return GridRefinement(view: view, size: [Double(side), Double(side)], known: known, inverted: isLight)
  }

  private func sampler(_ map: Homography, _ side: Int) -> ModuleSampler {
    ModuleSampler(view, columns: side, rows: side) { map.apply([$0, $1]) }
  }

  /// Returns the modules of a mirrored symbol, reflected at the diagonal through its top right corner; the fixed modules stay the
  /// same.
  private static func mirrored(_ matrix: ModuleMatrix) -> ModuleMatrix {
    let last = matrix.columns - 1
    return matrix.picked(columns: matrix.rows, rows: matrix.columns) { (last - $1, last - $0) }
  }

  /// Returns the function information from each way of sampling, leaving out ways that show none.
  private func information(_ map: Homography, _ version: Int, _ isLight: Bool) -> [HanXinDecoder.Information] {
    let sampler = sampler(map, HanXinLayout.side(version))
    return Self.renderings.flatMap {
      let matrix = sampler.matrix(radius: $0.radius, sharpen: $0.sharpen, inverted: isLight)
      return [matrix, Self.mirrored(matrix)].compactMap(HanXinDecoder.information)
    }
  }

  private func read(_ start: Homography, _ version: Int, module: Double, _ isLight: Bool) -> MatrixDetection? {
    let layout = HanXinLayout(version)
    let (map, score) = refinement(version, layout, isLight).refine(start, module: module)
    guard score > 8 else { return nil }
    let sampler = sampler(map, layout.side)
    var finding = MatrixDetection(
      symbology: .hanXin, corners: map.apply(Quadrilateral(width: Double(layout.side), height: Double(layout.side))),
      module: module, certainty: 0.95, inverted: isLight)
    var isCertain = false
    for rendering in Self.renderings {
      let matrix = sampler.matrix(radius: rendering.radius, sharpen: rendering.sharpen, inverted: isLight)
      guard matrix.agreement({ layout.fixed[$1 * layout.side + $0] }) > 0.8 else { continue }
      for seen in [matrix, Self.mirrored(matrix)] {
        guard let information = HanXinDecoder.information(seen), information.version == version else { continue }
        isCertain = true
        guard let message = HanXinDecoder.decode(seen, layout, information) else { continue }
        finding.message = message
        finding.certainty = 1
        return finding
      }
    }
    return isCertain ? finding : nil
  }
}
