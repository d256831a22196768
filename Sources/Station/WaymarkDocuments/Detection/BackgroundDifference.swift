import WaymarkImage

/// Finds the foreground of a frame, once the remembered view and the frame have the same exposure. To be used from one thread at a time.
final class BackgroundDifference {
  /// 255 where something is new, else 0.
  let changed = PixelPlane()
  private let difference = PixelPlane()
  private let scratch = PixelPlane()
  private var blurred: [Float] = []
  private var sums: [Float] = []
  private var work: [Float] = []
  /// By what the remembered view must be multiplied.
  private(set) var gain: Float = 1
  /// The same when nothing was new last.
  private var restingGain: Float = 1
  /// The share of the picture that is new.
  private(set) var share = 0.0

  /// Differences of fewer gray levels are none, and of more always are one.
  private static let leastStep: Float = 4
  private static let surelyStep: Float = 16
  /// How many standard deviations of what noise makes of unchanged places are a difference.
  private static let deviations: Float = 4.5
  /// With a greater share of the picture changed, the camera or the light has.
  private static let mostChanged = 0.7
  /// With less, nothing has come.
  private static let leastChanged = 0.012
  /// The gray level that what is new has at least in its middle.
  private static let paper = 150
  /// From this gray level on the camera may have reached its limit.
  private static let clipped: Float = 250
  /// Marks and colours that happen to equal the table's tear the foreground apart; gaps of as many pixels of the work picture are closed.
  private static let closing = 5

  var width: Int { changed.width }
  var height: Int { changed.height }
  /// True if so much has changed that the camera or the light has, or something fills the picture.
  var isSceneChange: Bool { share > Self.mostChanged }

  /// Nothing is new in pictures of that size.
  func reset(_ w: Int, _ h: Int) {
    sums = [Float](repeating: 0, count: w * h)
    (blurred, work) = (sums, sums)
    difference.resize(w, h)
    changed.resize(w, h)
    changed.pixels.update(repeating: 0, count: w * h)
    (gain, restingGain) = (1, 1)
    share = 0
  }

  /// Compares what is seen with what is known: as many pixels as this has, negative where nothing is.
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

  /// The standard deviation of noise in differences, of which there are so many of each tenth of a gray level: what three tenths stay below is
  /// noise, whatever came.
  private static func noise(_ histogram: [Int]) -> Float {
    var rest = histogram.reduce(0, +) * 3 / 10
    let level = histogram.firstIndex { count in
      rest -= count
      return rest <= 0
    }
    return (Float(level ?? 0) + 0.5) / 10 / 0.385
  }

  /// By what all that is remembered must be multiplied: the commonest ratio of what is seen to it.
  private func exposure(_ seen: UnsafePointer<UInt8>, _ known: [Float]) -> Float {
    var histogram = [Int](repeating: 0, count: 202)
    for i in stride(from: 0, to: known.count, by: 3) where known[i] >= 12 && seen[i] < 250 {
      let bin = Int(Float(seen[i]) / known[i] * 100)
      if (1..<201).contains(bin) { histogram[bin] += 1 }
    }
    var best = (bin: 100, count: 0)
    for bin in 40..<199 {
      let count = histogram[bin - 2] + histogram[bin - 1] + histogram[bin] + histogram[bin + 1] + histogram[bin + 2]
      // Nearly as it was before, where nothing tells.
      if count > best.count { best = (bin, count) }
    }
    guard best.count > known.count / 30 else { return 1 }
    // A sheet that fills most of the picture, and is as even as the table, is not another exposure: the rest looks as before.
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

  /// `difference`: 255 where what is seen differs from what is remembered, on the mean of 3 × 3 pixels; else 0.
  private func compare(_ seen: UnsafePointer<UInt8>, _ known: [Float]) {
    let (w, h) = (width, height)
    let gain = gain
    known.withUnsafeBufferPointer { known in
      sums.withUnsafeMutableBufferPointer { sums in
        for i in 0..<(w * h) {
          let off = Float(seen[i]) - gain * known[i]
          // A pixel that was too bright to measure was brighter than is remembered, and one that is so now may be.
          let isTold = known[i] >= 0 && (off > 0 ? known[i] < Self.clipped : seen[i] < UInt8(Self.clipped))
          sums[i] = isTold ? off : 0
        }
      }
    }
    blur(radius: 1)
    for i in 0..<(w * h) { sums[i] = abs(blurred[i]) / 9 }
    var histogram = [Int](repeating: 0, count: 401)
    for i in stride(from: 0, to: sums.count, by: 2) { histogram[Int(min(400, sums[i] * 10))] += 1 }
    let threshold = min(max(Self.leastStep, Self.deviations * Self.noise(histogram)), Self.surelyStep)
    let out = difference.pixels
    for i in 0..<(w * h) { out[i] = sums[i] > threshold ? 255 : 0 }
  }

  /// Takes off what is narrower than a few pixels: noise.
  private func open() {
    let count = changed.width * changed.height
    for i in 0..<count { changed.pixels[i] = ~changed.pixels[i] }
    Morphology.close(changed, radius: 2, into: difference, scratch: scratch)
    for i in 0..<count { changed.pixels[i] = ~difference.pixels[i] }
  }

  /// Composes the foreground on an even ground, `seen` being the plane that was compared; nil where nothing came, or too much to tell.
  func composed(_ seen: UnsafePointer<UInt8>) -> GrayImage? {
    let (w, h) = (width, height)
    var histogram = GrayHistogram()
    for i in 0..<(w * h) where changed.pixels[i] > 0 { histogram.add(seen[i]) }
    guard share >= Self.leastChanged, !isSceneChange else { return nil }
    let middle = histogram.level(reaching: histogram.total / 2)
    // A page of any shade stands there as paper does before something darker.
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

  /// `difference`: the mean of `changed` over 5 × 5 pixels, so that noise does not fray outlines.
  private func soften() {
    let count = changed.width * changed.height
    for i in 0..<count { sums[i] = Float(changed.pixels[i]) }
    blur(radius: 2)
    for i in 0..<count { difference.pixels[i] = UInt8(blurred[i] / 25) }
  }

  /// `blurred`: the sums of `sums` over squares.
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
