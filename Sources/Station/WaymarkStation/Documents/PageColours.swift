package import WaymarkImage

/// Finds pages by the colours of a picture, on the thread of the lane.
package struct PageColours: Sendable {
  /// Where a page lies in a picture.
  package struct Place: Sendable {
    package var outline: Quadrilateral
    /// How it bends, `PageBends.numbers`; nil where it is flat.
    package var bends: [Double]?
    /// 0…1.
    package var score: Double
    /// The outlines of further pages, of a page that was settled.
    package var others: [Quadrilateral]
    /// The size of the picture, in pixels.
    package var size: (width: Int, height: Int)

    package init(
      outline: Quadrilateral, bends: [Double]?, score: Double, others: [Quadrilateral] = [],
      size: (width: Int, height: Int)
    ) {
      self.outline = outline
      self.bends = bends
      self.score = score
      self.others = others
      self.size = size
    }
  }

  /// Finds the page in a picture file, which is made when it is asked for: near that place, or anywhere. May take as long as decoding a frame.
  let find: @Sendable (_ picture: () -> [UInt8]?, _ near: Quadrilateral?) -> Place?
  /// Finds where exactly the page is that is known to be about there; nil: it is looked for everywhere.
  let settle: @Sendable (_ picture: [UInt8], _ near: Quadrilateral?) -> Place?

  package init(
    find: @escaping @Sendable (_ picture: () -> [UInt8]?, _ near: Quadrilateral?) -> Place?,
    settle: @escaping @Sendable (_ picture: [UInt8], _ near: Quadrilateral?) -> Place?
  ) {
    self.find = find
    self.settle = settle
  }
}
