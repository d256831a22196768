import WaymarkImage

/// The frame with the anchors that are followed already painted over, so that a search of the whole frame spends its time,
/// and its share of features, on what is not known yet.
///
/// Painted with one gray each: straight edges look like nothing to a corner detector. Memory is taken once for a size.
struct ExclusionMask {
  private var buffer = PixelBuffer(capacity: 0)

  /// Lends the frame with the outlines filled.
  mutating func paint<R>(_ frame: ImageView, _ known: [Quadrilateral], _ body: (ImageView) -> R) -> R {
    guard !known.isEmpty, frame.width > 0, frame.height > 0 else { return body(frame) }
    if buffer.capacity < frame.width * frame.height { buffer = PixelBuffer(capacity: frame.width * frame.height) }
    let pixels = buffer.bytes
    for y in 0..<frame.height { (pixels + y * frame.width).update(from: frame.row(y), count: frame.width) }
    for outline in known { fill(outline, frame.width, frame.height) }
    return withExtendedLifetime(buffer) {
      body(ImageView(base: UnsafePointer(pixels), width: frame.width, height: frame.height, stride: frame.width))
    }
  }

  private func fill(_ q: Quadrilateral, _ width: Int, _ height: Int) {
    guard q.isFinite else { return }
    let corners = (q.topLeft, q.topRight, q.bottomRight, q.bottomLeft)
    let ys = (
      min(corners.0.y, corners.1.y, corners.2.y, corners.3.y), max(corners.0.y, corners.1.y, corners.2.y, corners.3.y)
    )
    let first = Int(max(0, ys.0.rounded(.down)))
    let last = Int(min(Double(height - 1), ys.1.rounded(.up)))
    guard first <= last else { return }
    let gray = mean(q, width, height)
    for y in first...last {
      // Where the row crosses the sides of the convex outline.
      var span = (Double.infinity, -Double.infinity)
      func cross(_ a: Point2, _ b: Point2) {
        let at = min(max(Double(y), min(a.y, b.y)), max(a.y, b.y))
        guard abs(at - Double(y)) <= 1 else { return }
        let share = a.y == b.y ? 0 : (at - a.y) / (b.y - a.y)
        let x = a.x + (b.x - a.x) * share
        span = (min(span.0, x), max(span.1, x))
        if a.y == b.y { span = (min(span.0, b.x), max(span.1, b.x)) }
      }
      cross(corners.0, corners.1)
      cross(corners.1, corners.2)
      cross(corners.2, corners.3)
      cross(corners.3, corners.0)
      let from = max(0, span.0.rounded(.down) - 1)
      let to = min(Double(width - 1), span.1.rounded(.up) + 1)
      guard from <= to else { continue }
      (buffer.bytes + y * width + Int(from)).update(repeating: gray, count: Int(to) - Int(from) + 1)
    }
  }

  /// The gray of a few points inside.
  private func mean(_ q: Quadrilateral, _ width: Int, _ height: Int) -> UInt8 {
    var sum = 0
    var n = 0
    for i in 0..<25 {
      let (u, v) = (0.1 + 0.2 * Double(i % 5), 0.1 + 0.2 * Double(i / 5))
      let p = (q.topLeft * (1 - u) + q.topRight * u) * (1 - v) + (q.bottomLeft * (1 - u) + q.bottomRight * u) * v
      guard p.x >= 0, p.y >= 0, p.x < Double(width), p.y < Double(height) else { continue }
      sum += Int(buffer.bytes[Int(p.y) * width + Int(p.x)])
      n += 1
    }
    return UInt8(n == 0 ? 128 : sum / n)
  }
}
