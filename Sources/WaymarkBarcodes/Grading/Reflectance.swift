import WaymarkGeometry
import WaymarkImage

/// Reflectance from the gray levels of a picture: the levels of cameras and of picture files follow the curve of sRGB
/// (IEC 61966-2-1), and their white counts as 100 %.
struct Reflectance {
  let view: ImageView

  private static let table: [Double] = (0...255).map { level in
    let v = Double(level) / 255
    return v <= 0.04045 ? v / 12.92 : Double.power((v + 0.055) / 1.055, 2.4)
  }

  /// At a place, by the gray level between pixels.
  func at(_ p: Point2) -> Double {
    let level = view.sample(p)
    let low = min(254, max(0, Int(level)))
    let share = min(max(level - Double(low), 0), 1)
    return Self.table[low] * (1 - share) + Self.table[low + 1] * share
  }

  /// The mean over a round spot: the aperture.
  func spot(_ p: Point2, radius: Double) -> Double {
    guard radius >= 0.5 else { return at(p) }
    var sum = at(p)
    for i in 0..<8 {
      let angle = Double(i) * .pi / 4
      sum += at(p + Point2(Double.cosine(angle), Double.sine(angle)) * radius)
    }
    return sum / 9
  }
}
