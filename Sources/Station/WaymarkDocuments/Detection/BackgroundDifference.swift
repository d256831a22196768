import WaymarkImage

/// Finds the foreground of a frame after matching the exposure of the background model to the frame. Use it from one thread at a time.
final class BackgroundDifference {
  /// 255 in the foreground, otherwise 0.
  let changed = PixelPlane()
  private let difference = PixelPlane()
  private let scratch = PixelPlane()
  private var blurred: [Float] = []
  private var sums: [Float] = []
  private var work: [Float] = []
  /// The ratio of the frame's exposure to the model's.
  private(set) var gain: Float = 1
  /// The ratio of exposures in the last frame without a foreground.
  private var restingGain: Float = 1
  /// The share of the picture in the foreground.
  private(set) var share = 0.0

  /// A pixel with a gray level difference below the first value is never foreground, above the second it always is.
  private static let leastStep: Float = 4
  private static let certainStep: Float = 16
  /// The threshold of a difference, in standard deviations of the noise.
  private static let deviations: Float = 4.5
  /// The share of changed pixels above which the camera or the light has changed.
  private static let mostChanged = 0.7
  /// The share of changed pixels below which there is no foreground.
  private static let leastChanged = 0.012
  /// The gray level to which the median of a darker foreground is raised in the composed picture.
  private static let paper = 150
  /// The gray level from which the camera may be saturated.
  private static let clipped: Float = 250
  /// The radius of the closing of the foreground, in pixels of the work picture. It fills gaps up to twice as wide, where marks and
  /// colours of the page equal those of the table.
  private static let closing = 5

  var width: Int { changed.width }
  var height: Int { changed.height }
  /// True if so much has changed that the camera or the light must have changed, or an object fills the picture.
  var isSceneChange: Bool { share > Self.mostChanged }

  /// Clears the foreground, for pictures of the given size.
  func reset(_ w: Int, _ h: Int) {
    sums = [Float](repeating: 0, count: w * h)
    (blurred, work) = (sums, sums)
    difference.resize(w, h)
    changed.resize(w, h)
    changed.pixels.update(repeating: 0, count: w * h)
    (gain, restingGain) = (1, 1)
    share = 0
  }

  /// Compares the luma of a frame, `seen`, with the luma of the background model, `known`, which is negative where unknown.
  func update(_ seen: UnsafePointer<UInt8>, known: [Float]) {
    gain = exposure(seen, known)
    compare(seen, known)
    Morphology.close(difference, radius: Self.closing, into: changed, scratch: scratch)
    open()
    var count = 0
    for i in 0..<(width * height) where changed.pixels[i] > 0 { count += 1 }
    share = Double(count) / Double(max(1, width * height))
    if share < Self.leastChanged { restingGain = gain }
  }

  /// Returns the standard deviation of the noise, from the histogram of absolute differences in tenths of a gray level. The 30th
  /// percentile is noise even with a new object in view; in a normal distribution it is 0.385 standard deviations.
  private static func noise(_ histogram: [Int]) -> Float {
    var rest = histogram.reduce(0, +) * 3 / 10
    let level = histogram.firstIndex { count in
      rest -= count
      return rest <= 0
    }
    return (Float(level ?? 0) + 0.5) / 10 / 0.385
  }

  /// Returns the factor from the model's exposure to the frame's: the most frequent ratio of their pixels.
  private func exposure(_ seen: UnsafePointer<UInt8>, _ known: [Float]) -> Float {
    var histogram = [Int](repeating: 0, count: 202)
    for i in stride(from: 0, to: known.count, by: 3) where known[i] >= 12 && seen[i] < 250 {
      let bin = Int(Float(seen[i]) / known[i] * 100)
      if (1..<201).contains(bin) { histogram[bin] += 1 }
    }
    var best = (bin: 100, count: 0)
    for bin in 40..<199 {
      let count = histogram[bin - 2] + histogram[bin - 1] + histogram[bin] + histogram[bin + 1] + histogram[bin + 2]
      // Of equal counts the lowest ratio is chosen.
      if count > best.count { best = (bin, count) }
    }
    guard best.count > known.count / 30 else { return 1 }
    // A sheet that fills most of the picture and is as uniform as the table must not count as a change of exposure: the rest of the
    // picture still has the last exposure.
    let last = Int(restingGain * 100)
    if (40..<199).contains(last) {
      let count = histogram[(last - 2)...(last + 2)].reduce(0, +)
      if count > known.count / 36 { best = (last, count) }
    }
    var (sum, count) = (0, 0)
    for bin in (best.bin - 2)...(best.bin + 2) {
      sum += bin * histogram[bin]
      count += histogram[bin]
    }
    return (Float(sum) / Float(max(1, count)) + 0.5) / 100
  }

  /// Fills `difference`: 255 where the frame differs from the model in the mean of 3 × 3 pixels, otherwise 0.
  private func compare(_ seen: UnsafePointer<UInt8>, _ known: [Float]) {
    let (w, h) = (width, height)
    let gain = gain
    known.withUnsafeBufferPointer { known in
      sums.withUnsafeMutableBufferPointer { sums in
        for i in 0..<(w * h) {
          let off = Float(seen[i]) - gain * known[i]
          // A saturated pixel may be brighter than its value, so a difference is unknown if the darker of the two pixels is
          // saturated.
          let isMeasured = known[i] >= 0 && (off > 0 ? known[i] < Self.clipped : seen[i] < UInt8(Self.clipped))
          sums[i] = isMeasured ? off : 0
        }
      }
    }
    blur(radius: 1)
    for i in 0..<(w * h) { sums[i] = abs(blurred[i]) / 9 }
    var histogram = [Int](repeating: 0, count: 401)
    for i in stride(from: 0, to: sums.count, by: 2) { histogram[Int(min(400, sums[i] * 10))] += 1 }
    let threshold = min(max(Self.leastStep, Self.deviations * Self.noise(histogram)), Self.certainStep)
    let out = difference.pixels
    for i in 0..<(w * h) { out[i] = sums[i] > threshold ? 255 : 0 }
  }

  /// Opens the foreground: removes areas narrower than five pixels, which are noise.
  private func open() {
    let count = changed.width * changed.height
    for i in 0..<count { changed.pixels[i] = ~changed.pixels[i] }
    Morphology.close(changed, radius: 2, into: difference, scratch: scratch)
    for i in 0..<count { changed.pixels[i] = ~difference.pixels[i] }
  }

  /// Returns the foreground on a uniform background, from the luma of the compared frame.
  ///
  /// - Returns: The picture; `nil` without a foreground, or after a change of the scene.
  func composed(_ seen: UnsafePointer<UInt8>) -> GrayImage? {
    let (w, h) = (width, height)
    var histogram = GrayHistogram()
    for i in 0..<(w * h) where changed.pixels[i] > 0 { histogram.add(seen[i]) }
    guard share >= Self.leastChanged, !isSceneChange else { return nil }
    let middle = histogram.level(behind: histogram.total / 2 - 1)
    // A page of any shade is drawn as bright paper on a darker background.
    let paper = max(middle ?? 128, 24)
    let scale = Int32(max(256, Self.paper * 256 / paper))
    let ground = Int32(max(paper, Self.paper) * 2 / 5)
    soften()
    return GrayImage(width: w, height: h) { out in
      for i in 0..<(w * h) {
        let part = Int32(difference.pixels[i])
        let value = min(255, Int32(seen[i]) &* scale >> 8)
        out[i] = UInt8(truncatingIfNeeded: (part &* value &+ (255 &- part) &* ground) / 255)
      }
    }
  }

  /// Fills `difference` with the mean of `changed` over 5 × 5 pixels, so that noise does not roughen outlines.
  private func soften() {
    let count = changed.width * changed.height
    for i in 0..<count { sums[i] = Float(changed.pixels[i]) }
    blur(radius: 2)
    for i in 0..<count { difference.pixels[i] = UInt8(blurred[i] / 25) }
  }

  /// Fills `blurred` with the sums of `sums` over squares of 2 × `radius` + 1 pixels a side.
  private func blur(radius: Int) {
    let (w, h) = (width, height)
    sums.withUnsafeBufferPointer { sums in
      blurred.withUnsafeMutableBufferPointer { blurred in
        work.withUnsafeMutableBufferPointer { work in
          guard let sums = sums.baseAddress, let blurred = blurred.baseAddress, let work = work.baseAddress else {
            return
          }
          BoxSum.sum(sums, into: blurred, scratch: work, width: w, height: h, radius: radius)
        }
      }
    }
  }
}
