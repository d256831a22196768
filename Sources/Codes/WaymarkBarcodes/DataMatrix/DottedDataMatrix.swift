import WaymarkImage

/// Reads Data Matrix symbols whose modules are dots, touching or apart, such as those of dot peening and ink jets. A blur of less
/// than half the distance of the dots joins the dots of the L to straight strokes, while the alternating dots of the other sides
/// stay apart.
///
/// The blur leaves 3 % of the amplitude of a pattern with a period of one module, and 42 % at a period of two modules.
enum DottedDataMatrix {
  /// The distances of the dots to try, in pixels; each suits distances from three quarters to four thirds of it.
  private static let pitches = [3.5, 6, 10, 17]
  /// The standard deviation of the blur, and the width of the light border, in distances of the dots.
  private static let (blur, border) = (0.42, 3.0)
  /// The least distance of the dots in the searched picture if it is shrunk, in pixels.
  private static let searched = 5.0

  /// The largest number of pixels of a picture to search.
  private static let largest = 250_000

  /// Returns whether to search a picture: it must be small, and either drawn or with a border of one tone.
  static func suits(_ image: ImageView) -> Bool {
    guard image.width > 0, image.height > 0, image.width * image.height <= largest else { return false }
    if image.isDrawn { return true }
    let (right, bottom) = (image.width - 1, image.height - 1)
    var rim: [UInt8] = []
    for x in 0...right { rim += [image[x, 0], image[x, bottom]] }
    for y in 0...bottom { rim += [image[0, y], image[right, y]] }
    rim.sort()
    return rim[rim.count * 19 / 20] - rim[rim.count / 20] <= 16
  }

  static func read(_ image: ImageView) -> [MatrixDetection] {
    for pitch in pitches where Double(min(image.width, image.height)) >= 8 * pitch {
      let border = Int(Self.border * pitch)
      let factor = max(1, Int(pitch / searched))
      let joined = joined(GrayImage(copying: image).framed(border, tone: .max), sigma: blur * pitch)
      let found = joined.unsafeView.shrunk(by: factor).withView {
        DataMatrixLooks(view: $0, levels: BlockMean($0)).read().detections.filter(\.isRead)
      }
      if !found.isEmpty {
        return found.map { $0.placed(scale: Double(factor), origin: [-Double(border), -Double(border)]) }
      }
    }
    return []
  }

  /// Returns a blurred picture with its tones stretched to the full range.
  private static func joined(_ image: GrayImage, sigma: Double) -> GrayImage {
    GrayImage(width: image.width, height: image.height) { pixels in
      guard let target = pixels.baseAddress else { return }
      image.withView { target.update(from: $0.base, count: pixels.count) }
      GaussianBlur.apply(target, width: image.width, height: image.height, sigma: sigma)
      let (low, high) = (Int(pixels.min() ?? 0), Int(pixels.max() ?? 0))
      guard high > low else { return }
      for i in pixels.indices { pixels[i] = UInt8(255 * (Int(pixels[i]) - low) / (high - low)) }
    }
  }
}
