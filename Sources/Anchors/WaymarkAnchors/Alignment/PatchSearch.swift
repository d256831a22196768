import CKernels
package import WaymarkImage

/// Finds how far an anchor has moved from where it was expected, by trying every shift in a square.
///
/// The patches of the reference, drawn as expected, vote together: a shift counts by the sum of their correlation
/// coefficients with the frame there. That holds where single patches are ambiguous or blurred, and it costs no more than
/// looking for each of them alone.
package final class PatchSearch {
  /// The largest shift that can be searched, in pixels of an octave.
  static let greatestRadius = 12

  /// The lens of the frames; homographies are then those without its distortion.
  package var lens: LensMap? {
    get { set.lens }
    set { set.lens = newValue }
  }
  private let set = PatchSet(capacity: 32)
  private let map: UnsafeMutablePointer<Float>
  private let pattern: UnsafeMutablePointer<Int16>

  package init() {
    let side = 2 * Self.greatestRadius + 1
    map = .allocate(capacity: side * side)
    pattern = .allocate(capacity: PatchSet.side * PatchSet.side)
  }

  deinit {
    map.deallocate()
    pattern.deallocate()
  }

  /// Searches on one octave of the frame.
  ///
  /// - Parameters:
  ///   - radius: in pixels of the octave.
  ///   - blur: how the anchor is smeared.
  /// - Returns: the map shifted to the best place, and the mean correlation there; `nil` where too little is in view.
  package func search(
    _ template: AnchorTemplate, around expected: SurfaceMap, in pyramid: GrayPyramid, octave: Int, radius: Int,
    softness: Double = 0, blur: MotionBlur? = nil
  ) -> (map: SurfaceMap, correlation: Double)? {
    let view = pyramid.level(2 * octave)
    let scale = pyramid.scale(2 * octave)
    set.draw(
      template, map: expected, scale: scale, width: view.width, height: view.height, limit: set.capacity,
      softness: softness, blur: blur)
    guard set.count >= 3 else { return nil }
    let r = min(radius, Self.greatestRadius)
    let side = 2 * r + 1
    map.update(repeating: 0, count: side * side)
    let weight = 1 / Float(set.count)
    for i in 0..<set.count {
      ck_patch_quantize(set.pattern(i), pattern)
      // Around a level there is a margin that may be read; what is found there correlates with nothing.
      ck_patch_search(
        view.base + Int(set.top[i]) * view.stride + Int(set.left[i]), view.stride, pattern, Int32(r), weight, map)
    }
    var best = 0
    for i in 1..<(side * side) where map[i] > map[best] { best = i }
    let (x, y) = (best % side, best / side)
    var shift = Point2(Double(x - r), Double(y - r))
    // The top of the parabola through the neighbours.
    func top(_ a: Float, _ b: Float, _ c: Float) -> Double {
      let curvature = a - 2 * b + c
      return curvature < -1e-6 ? Double(min(max(0.5 * (a - c) / curvature, -0.5), 0.5)) : 0
    }
    if x > 0, x < side - 1 { shift.x += top(map[best - 1], map[best], map[best + 1]) }
    if y > 0, y < side - 1 { shift.y += top(map[best - side], map[best], map[best + side]) }
    return (expected.shifted(by: shift / scale), Double(map[best]))
  }
}
