import CKernels
package import WaymarkImage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Detects and describes the corners of a picture over a pyramid.
///
/// Corners are the FAST-9 maxima (E. Rosten, R. Porter, T. Drummond, "Faster and better", PAMI 2010) of the slightly smoothed
/// levels. The strongest of every cell are kept, so that dim and flat parts have corners as well. Their direction is the intensity
/// centroid (E. Rublee et al., "ORB", ICCV 2011, section 3.2). Their descriptor is the 256 signs of projections of the gradients
/// around the corner, rotated to this direction (`DescriptorModel`). Use it from one thread. It allocates nothing while the size of
/// the pictures stays the same.
package final class FeatureExtractor {
  /// The numbers of features and levels that an extractor uses.
  package struct Settings: Sendable, Equatable {
    /// The largest number of features to keep. Each takes about 1 µs to describe and longer to look up.
    package var limit = 1000
    /// The largest number of levels of the pyramid. The fourth and later levels take almost no time.
    package var levels = 6
    /// The exponent by which a level's share of the features falls with its size: share ∝ scale^falloff.
    let falloff = 1.2
    /// The multiple of its even share of a level's features up to which a cell is filled before the features of all cells compete.
    var crowding = 3
    /// The most levels from which features are taken, finest first; the default takes all.
    package var searched = 16
    package init() {}

    /// The settings for frames at double size. Anchors found only there are small, with few and often dim corners, which the corners
    /// of the rest of the frame must not crowd out. With 900 features and three times the even share for a cell, a sixth fewer
    /// pictures of 60 to 90 pixels width are found, and frames without an anchor take a sixth less time.
    static var enlarging: Settings {
      var s = Settings()
      s.limit = 1800
      s.crowding = 1
      s.levels = 5
      s.searched = 2
      return s
    }
  }

  /// The least FAST score in gray levels; weaker corners are noise.
  private static let threshold: Int32 = 4
  /// The side of a cell in level pixels.
  private static let cell = 40

  private let settings: Settings
  package let features: FeatureSet
  package let pyramid = GrayPyramid()

  private let memory = ScratchMemory()
  private var planes = PixelBuffer(capacity: 0)
  private var table = SamplingTable()
  private var scratch: UnsafeMutableBufferPointer<UInt16> = .allocate(capacity: 0)
  private var row: UnsafeMutableBufferPointer<UInt8> = .allocate(capacity: 0)
  /// The descriptor model; without it no feature is found. Compiling a picture and opening a library report the reason.
  private let model = try? DescriptorModel.load()
  /// The gradient shares of all corners, `DescriptorModel.shares` each; `sums` has the projections of one batch of corners.
  private let shares: UnsafeMutablePointer<Int16>
  private let sums: UnsafeMutablePointer<Int32>
  /// The number of corners projected in one call.
  private static let batch = 64
  private let candidateCapacity = 1 << 16
  private let candidates: UnsafeMutablePointer<UInt32>
  private let ordered: UnsafeMutablePointer<UInt32>
  private var perCell: [UInt16] = []
  private let border = 6

  package init(settings: Settings = Settings()) {
    self.settings = settings
    features = FeatureSet(capacity: settings.limit + 64)
    candidates = memory.allocate(candidateCapacity)
    ordered = memory.allocate(candidateCapacity)
    let room = DescriptorModel.shares * features.capacity + Int(CK_SLACK)
    shares = memory.allocate(room)
    shares.initialize(repeating: 0, count: room)
    sums = memory.allocate(DescriptorModel.bits * Self.batch)
  }

  deinit {
    scratch.deallocate()
    row.deallocate()
  }

  /// Fills `features` from a picture of at most 4,095 pixels a side.
  ///
  /// - Parameter doubled: True to extract at double size. The features are in the picture's own pixels in either case.
  package func extract(_ picture: ImageView, doubled: Bool = false) {
    features.removeAll()
    guard let model, picture.width > 0, picture.height > 0, picture.width < 4096, picture.height < 4096 else { return }
    if doubled {
      pyramid.updateDoubled(picture, levels: settings.levels)
    } else {
      pyramid.update(picture, levels: settings.levels)
    }
    prepare()
    var total = 0.0
    let used = min(pyramid.count, settings.searched)
    for i in 0..<used { total += pow(pyramid.scale(i), settings.falloff) }
    for i in 0..<used {
      let share = pow(pyramid.scale(i), settings.falloff) / total
      extractLevel(i, quota: Int(share * Double(settings.limit)) + 1)
    }
    describe(model)
  }

  /// Computes the descriptors from the gradients of all features.
  private func describe(_ model: DescriptorModel) {
    for start in stride(from: 0, to: features.count, by: Self.batch) {
      let count = min(Self.batch, features.count - start)
      ck_convolve(
        shares + DescriptorModel.shares * start, 0, DescriptorModel.shares, 1, Int32(DescriptorModel.shares / 2),
        Int32(truncatingIfNeeded: count), model.weights, Int32(DescriptorModel.blocks), model.offsets, sums)
      for i in 0..<count {
        ck_signs(
          sums + DescriptorModel.bits * i, features.descriptor(start + i),
          features.margins + FeatureSet.marginCount * (start + i), Int32(FeatureSet.marginCount))
      }
    }
  }

  /// The size in bytes of one of the planes beside the pyramid. A plane holds one level at a time, the largest with its margins.
  private var planeSize: Int { pyramid.count > 1 ? pyramid.offset(1) : pyramid.planeSize }

  private func prepare() {
    let size = planeSize
    if planes.capacity < 3 * size {
      planes = PixelBuffer(capacity: 3 * size)
      planes.bytes.update(repeating: 0, count: 3 * size)
    }
    table.fit(stride: pyramid.stride)
    let width = pyramid.level(0).width
    if scratch.count < width + 64 {
      scratch.deallocate()
      row.deallocate()
      scratch = .allocate(capacity: width + 64)
      row = .allocate(capacity: width + 128)
    }
  }

  private func extractLevel(_ index: Int, quota: Int) {
    let level = pyramid.level(index)
    let (w, h) = (level.width, level.height)
    let stride = pyramid.stride
    guard w > 2 * border + 2, h > 2 * border + 2, let scratch = scratch.baseAddress, let row = row.baseAddress else {
      return
    }
    let (width, height) = (Int32(w), Int32(h))
    let size = planeSize
    // An earlier level may have left data in the planes, but outside of the part that is read: each level is extended
    // by 20 pixels beyond its edge.
    let smooth = planes.bytes + pyramid.offset(0)
    let means = smooth + size
    let scores = smooth + 2 * size
    let around: Int32 = 20
    ck_extend(UnsafeMutablePointer(mutating: level.base), stride, width, height, 1)
    ck_binomial(level.base, smooth, stride, width, height)
    ck_extend(smooth, stride, width, height, around)
    ck_means(smooth, means, stride, width, height, scratch)
    ck_extend(means, stride, width, height, around)

    let inner = border - 1
    ck_fast_scores(
      smooth + inner * stride + inner, scores + inner * stride + inner, stride, width - 2 * Int32(inner),
      height - 2 * Int32(inner))
    let found = Int(
      ck_fast_maxima(
        scores + border * stride + border, stride, width - 2 * Int32(border), height - 2 * Int32(border),
        Self.threshold, candidates, Int32(candidateCapacity), row))
    let kept = select(found, quota: quota, width: w, height: h)
    let scale = Float(1 / pyramid.scale(index))
    for i in 0..<kept {
      let code = ordered[i]
      let x = Int(code >> 8 & 0xfff) + border
      let y = Int(code >> 20) + border
      measure(x, y, UInt8(code & 0xff), index, scale, smooth, means, scores)
    }
  }

  /// Moves the strongest candidates to the front of `ordered`, with a limit per cell if there are more than `quota`,
  /// and returns the number to keep.
  private func select(_ found: Int, quota: Int, width: Int, height: Int) -> Int {
    var start = InlineArray<256, Int32>(repeating: 0)
    for i in 0..<found { start[255 - Int(candidates[i] & 0xff)] += 1 }
    var sum: Int32 = 0
    for i in 0..<256 { (start[i], sum) = (sum, sum + start[i]) }
    // Sorted by decreasing score; equal scores stay in reading order.
    for i in 0..<found {
      let bin = 255 - Int(candidates[i] & 0xff)
      ordered[Int(start[bin])] = candidates[i]
      start[bin] += 1
    }
    guard found > quota else { return found }
    let cell = Self.cell
    let columns = (width + cell - 1) / cell
    let cells = columns * ((height + cell - 1) / cell)
    if perCell.count < cells { perCell = Array(repeating: 0, count: cells) }
    for i in 0..<cells { perCell[i] = 0 }
    let share = UInt16(max(settings.crowding, (settings.crowding * quota + cells - 1) / cells))
    var kept = 0
    var rest = 0
    for i in 0..<found {
      let code = ordered[i]
      let c = (Int(code >> 20) + border) / cell * columns + (Int(code >> 8 & 0xfff) + border) / cell
      if perCell[c] < share {
        perCell[c] += 1
        ordered[kept] = code
        kept += 1
        if kept == quota { return kept }
      } else {
        candidates[rest] = code
        rest += 1
      }
    }
    // The quota that cells with few corners leave is filled from the cells with more.
    for i in 0..<min(rest, quota - kept) { ordered[kept + i] = candidates[i] }
    return min(quota, kept + rest)
  }

  private func measure(
    _ x: Int, _ y: Int, _ score: UInt8, _ level: Int, _ scale: Float, _ smooth: UnsafeMutablePointer<UInt8>,
    _ means: UnsafeMutablePointer<UInt8>, _ scores: UnsafeMutablePointer<UInt8>
  ) {
    let stride = pyramid.stride
    let s = scores + y * stride + x
    func peak(_ before: UInt8, _ at: UInt8, _ after: UInt8) -> Float {
      let (b, c, a) = (Float(before), Float(at), Float(after))
      let curvature = b - 2 * c + a
      return curvature < 0 ? max(-0.5, min(0.5, 0.5 * (b - a) / curvature)) : 0
    }
    let fx = Float(x) + peak(s[-1], s[0], s[1])
    let fy = Float(y) + peak(s[-stride], s[0], s[stride])
    var mx: Int32 = 0
    var my: Int32 = 0
    ck_moments(smooth + y * stride + x, stride, &mx, &my)
    let steps = Float(Feature.directions)
    let turns = atan2f(Float(my), Float(mx)) / (2 * Float.pi)
    let direction = Int((turns * steps + steps).rounded()) % Feature.directions
    let feature = Feature(
      x: (fx + 0.5) * scale - 0.5, y: (fy + 0.5) * scale - 0.5, scale: scale, direction: UInt8(direction),
      level: UInt8(level), score: score)
    guard let place = features.append(feature) else { return }
    table.withOffsets(of: direction) {
      ck_gradient_shares(means + y * stride + x, $0, shares + DescriptorModel.shares * place)
    }
  }
}
