package import WaymarkImage

/// The filter for a rectified page before it is shown and written.
///
/// This file also has the filtered page, and the steps of the filters: `Shading` evens the light, `Binarization` makes black
/// and white.
package enum PageFilter: String, Sendable, CaseIterable, Codable {
  /// White balanced, with shadows removed.
  case colour
  /// Gray, with shadows removed.
  case grayscale
  /// Black and white for text, with an adaptive threshold and shadows removed.
  case blackAndWhite = "bw"
  /// Unchanged.
  case photo
}

/// A filtered page: in colour, gray, or black (0) and white (255).
package enum FilteredPage: Sendable {
  case colour(RGBImage)
  case gray(GrayImage)
  /// One channel of only 0 and 255.
  case bilevel(GrayImage)
}

extension FilteredPage {
  package var size: (width: Int, height: Int) {
    switch self {
    case .colour(let image): (image.width, image.height)
    case .gray(let image), .bilevel(let image): (image.width, image.height)
    }
  }

  package func jpeg(quality: Int) throws(ImageError) -> [UInt8] {
    switch self {
    case .colour(let image): try JPEGEncoder.encode(image, quality: quality)
    case .gray(let image), .bilevel(let image): try JPEGEncoder.encode(image, quality: quality)
    }
  }

  package func png() throws(ImageError) -> [UInt8] {
    switch self {
    case .colour(let image): try PNGEncoder.encode(image)
    case .gray(let image), .bilevel(let image): try PNGEncoder.encode(image)
    }
  }

  package func turned(_ quarters: Int) -> FilteredPage {
    let orientation = Orientation(quarterTurns: quarters)
    guard orientation != .upright else { return self }
    switch self {
    case .colour(let image): return .colour(image.oriented(orientation))
    case .gray(let image): return .gray(image.oriented(orientation))
    case .bilevel(let image): return .bilevel(image.oriented(orientation))
    }
  }

  /// Returns the page reduced to a width of at most `width` pixels; black and white is unchanged.
  package func reduced(width: Int) -> FilteredPage {
    switch self {
    case .colour(let image) where image.width > width && width > 0:
      .colour(image.resized(width: width, height: max(1, image.height * width / image.width)))
    case .gray(let image) where image.width > width && width > 0:
      .gray(image.resized(width: width, height: max(1, image.height * width / image.width)))
    default: self
    }
  }
}

extension PageFilter {
  package func apply(_ page: RGBImage) -> FilteredPage {
    switch self {
    case .photo: return .colour(page)
    case .colour: return .colour(Shading(of: page).removed(from: page))
    case .grayscale: return .gray(GrayImage(Shading(of: page).removed(from: page)))
    case .blackAndWhite: return .bilevel(Binarization.apply(GrayImage(Shading(of: page).removed(from: page))))
    }
  }
}

extension GrayImage {
  /// Creates the gray picture of a colour picture's luma.
  init(_ image: RGBImage) {
    self.init(width: image.width, height: image.height) { out in
      image.withBytes { bytes in
        guard let from = bytes.baseAddress, let to = out.baseAddress else { return }
        Luma.convert(rgb: from, to: to, count: image.width * image.height)
      }
    }
  }
}

/// The brightness of the bare paper at each point of a page, in each channel.
///
/// It is the brightest sixth of small blocks, with dark areas (pictures, black bars) bridged by a closing, then smoothed. Dark
/// areas larger than the closing stay dark.
struct Shading {
  private static let columns = 48
  private let width: Int
  private let height: Int
  /// The paper's levels, three per block.
  private var paper: [Float]

  init(of page: RGBImage) {
    let across = min(Self.columns, max(1, page.width / 4))
    let down = min(4 * Self.columns, max(1, min(page.height / 4, across * page.height / max(1, page.width))))
    (width, height) = (across, down)
    paper = [Float](repeating: 0, count: 3 * across * down)
    page.withBytes { bytes in
      var histogram = GrayHistogram()
      for by in 0..<down {
        let (y0, y1) = (by * page.height / down, (by + 1) * page.height / down)
        for bx in 0..<across {
          let (x0, x1) = (bx * page.width / across, (bx + 1) * page.width / across)
          for c in 0..<3 {
            histogram.clear()
            for y in y0..<y1 {
              for x in x0..<x1 { histogram.add(bytes[3 * (y * page.width + x) + c]) }
            }
            let level = histogram.level(before: (y1 - y0) * (x1 - x0) / 6) ?? 0
            paper[3 * (by * across + bx) + c] = Float(level)
          }
        }
      }
    }
    for c in 0..<3 { smooth(c) }
  }

  /// Smooths a channel by a closing over a seventh of the page's width, then by means.
  private mutating func smooth(_ channel: Int) {
    var plane = (0..<(width * height)).map { paper[3 * $0 + channel] }
    let radius = max(1, width / 14)
    plane = filtered(plane, radius) { $0.max() ?? 0 }
    plane = filtered(plane, radius) { $0.min() ?? 0 }
    for _ in 0..<2 { plane = filtered(plane, 1) { $0.reduce(0, +) / Float($0.count) } }
    for i in plane.indices { paper[3 * i + channel] = max(plane[i], 24) }
  }

  private func filtered(_ plane: [Float], _ radius: Int, _ join: (ArraySlice<Float>) -> Float) -> [Float] {
    var rows = plane
    for y in 0..<height {
      for x in 0..<width {
        rows[y * width + x] = join(plane[(y * width + max(0, x - radius))...(y * width + min(width - 1, x + radius))])
      }
    }
    var result = rows
    var column = [Float](repeating: 0, count: height)
    for x in 0..<width {
      for y in 0..<height { column[y] = rows[y * width + x] }
      for y in 0..<height { result[y * width + x] = join(column[max(0, y - radius)...min(height - 1, y + radius)]) }
    }
    return result
  }

  /// Returns the page as under uniform white light: paper becomes white.
  func removed(from page: RGBImage) -> RGBImage {
    // Slightly above white, so that the grain of the paper becomes white.
    let white: Float = 262
    return RGBImage(width: page.width, height: page.height) { out in
      page.withBytes { bytes in
        // Bilinear between the blocks' centres; the columns' positions are the same in all rows.
        let places = (0..<page.width).map { LinearTap(middleOf: $0, of: page.width, in: width) }
        var gains = [Float](repeating: 1, count: 3 * width)
        for y in 0..<page.height {
          let down = LinearTap(middleOf: y, of: page.height, in: height)
          let (row, next, fy) = (down.low, down.high, Float(down.share))
          for i in 0..<(3 * width) {
            let level = paper[3 * row * width + i] * (1 - fy) + paper[3 * next * width + i] * fy
            gains[i] = min(4, white / level)
          }
          for x in 0..<page.width {
            let (column, right, fx) = (places[x].low, places[x].high, Float(places[x].share))
            let at = 3 * (y * page.width + x)
            for c in 0..<3 {
              let gain = gains[3 * column + c] * (1 - fx) + gains[3 * right + c] * fx
              out[at + c] = UInt8(min(255, Float(bytes[at + c]) * gain))
            }
          }
        }
      }
    }
  }
}

/// Classifies each pixel as ink or paper.
enum Binarization {
  /// Returns the picture with ink black and paper white. Ink is darker than the local mean by a margin; the higher the contrast,
  /// the smaller the margin (J. Sauvola, M. Pietikäinen, "Adaptive document image binarization", Pattern Recognition 33 (2000)).
  static func apply(_ gray: GrayImage) -> GrayImage {
    let (w, h) = (gray.width, gray.height)
    guard w > 0, h > 0 else { return gray }
    let radius = max(6, min(w, h) / 60)
    // The sums of the values in each column's window, moved down row by row, and of their squares.
    return GrayImage(width: w, height: h) { out in
      gray.withView { view in
        withUnsafeTemporaryAllocation(of: SIMD2<Int32>.self, capacity: w) { sums in
          sums.initialize(repeating: .zero)
          guard let sums = sums.baseAddress, let out = out.baseAddress else { return }
          for y in 0..<min(h, radius) { add(view.row(y), 1, to: sums, count: w) }
          for y in 0..<h {
            if y + radius < h { add(view.row(y + radius), 1, to: sums, count: w) }
            if y - radius - 1 >= 0 { add(view.row(y - radius - 1), -1, to: sums, count: w) }
            let rows = min(h - 1, y + radius) - max(0, y - radius) + 1
            var (sum, square) = (0, 0)
            for x in 0..<min(w, radius) {
              sum &+= Int(sums[x].x)
              square &+= Int(sums[x].y)
            }
            let row = view.row(y)
            for x in 0..<w {
              if x + radius < w {
                sum &+= Int(sums[x + radius].x)
                square &+= Int(sums[x + radius].y)
              }
              if x - radius - 1 >= 0 {
                sum &-= Int(sums[x - radius - 1].x)
                square &-= Int(sums[x - radius - 1].y)
              }
              let count = Float(rows * (min(w - 1, x + radius) - max(0, x - radius) + 1))
              let mean = Float(sum) / count
              let deviation = max(0, Float(square) / count - mean * mean).squareRoot()
              // Black areas wider than the window stay black, bare paper stays white.
              let threshold = min(215, max(70, mean * (1 + 0.22 * (deviation / 128 - 1))))
              out[y * w + x] = Float(row[x]) < threshold ? 0 : 255
            }
          }
        }
      }
    }
  }

  /// Adds a row's values and their squares, multiplied by a sign, to the columns' sums.
  private static func add(
    _ row: UnsafePointer<UInt8>, _ sign: Int32, to sums: UnsafeMutablePointer<SIMD2<Int32>>, count: Int
  ) {
    for x in 0..<count {
      let value = Int32(row[x])
      sums[x] &+= sign &* SIMD2(value, value &* value)
    }
  }
}
