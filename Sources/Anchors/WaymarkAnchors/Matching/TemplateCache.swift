import WaymarkImage

/// The alignment templates of the anchors seen last: each takes a third of a megabyte and a millisecond to make, four
/// times as much where the picture has the detail.
///
/// Their memory is reserved at once and filled when it is needed. The template that was used longest ago is made again in its own
/// memory, unless somebody still follows by it.
struct TemplateCache {
  private struct Entry {
    /// Below zero: none yet.
    var anchor: Int
    var used: UInt64
    var template: AnchorTemplate
  }
  private var entries: [Entry]
  private var clock: UInt64 = 0
  /// Where the pixels of a reference are read to: a template has its own copy.
  private let pixels: PixelBuffer
  /// The greatest side of the library's pictures.
  private let side: Int
  /// A blank in place of a damaged picture: nothing agrees with it.
  private let blank = GrayImage(width: 16, height: 16, value: 0)

  init(capacity: Int, for library: AnchorLibrary) {
    let side = AnchorCompiler.side * (library.references.map(\.detail).max() ?? 1)
    self.side = side
    pixels = PixelBuffer(capacity: side * side)
    entries = (0..<max(1, capacity)).map { _ in Entry(anchor: -1, used: 0, template: AnchorTemplate(side: side)) }
  }

  mutating func template(for anchor: Int, in library: AnchorLibrary) -> AnchorTemplate {
    clock += 1
    if let i = entries.firstIndex(where: { $0.anchor == anchor }) {
      entries[i].used = clock
      return entries[i].template
    }
    let image = library.image(of: anchor, in: pixels)
    let detail = image == nil ? 1 : library.references[anchor].detail
    let oldest = entries.indices.min { entries[$0].used < entries[$1].used } ?? 0
    if isKnownUniquelyReferenced(&entries[oldest].template) {
      entries[oldest].template.load(image ?? blank, detail: detail)
    } else {
      let fresh = AnchorTemplate(side: side)
      fresh.load(image ?? blank, detail: detail)
      entries[oldest].template = fresh
    }
    entries[oldest].anchor = anchor
    entries[oldest].used = clock
    return entries[oldest].template
  }
}
