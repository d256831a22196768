package import WaymarkImage

/// Draws a page as if it had been photographed straight from above, at the resolution that its pixels carry.
package struct PageRectifier: Sendable {
  /// More pixels are not made of one page.
  package var pixelLimit = PageMap.usualPixelLimit

  /// A rectifier with the limits that the scanner uses.
  package init() {}

  /// The page within `page.outline`, what is bent of it made straight; nil for an outline that is not a quadrilateral seen from its front.
  package func rectify(_ image: RGBImage, page: DetectedPage) -> RGBImage? {
    rectify(image, outline: page.outline, bends: PageBends(page, in: image))
  }

  /// The part of a picture within a quadrilateral, taken for a flat page where nothing is said of its bends.
  package func rectify(_ image: RGBImage, outline: Quadrilateral, bends: PageBends? = nil) -> RGBImage? {
    guard image.width > 1, image.height > 1,
      let map = PageMap(outline: outline, sides: bends?.sides, lines: bends?.lines)
    else { return nil }
    let (width, height) = size(of: outline, in: image)
    return map.draw(image, width: width, height: height)
  }

  /// How large the rectified page gets, in pixels.
  package func size(of outline: Quadrilateral, in image: RGBImage) -> (width: Int, height: Int) {
    PageMap.size(of: outline, in: image, pixelLimit: pixelLimit)
  }
}
