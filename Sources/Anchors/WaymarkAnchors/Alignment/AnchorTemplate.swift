import Synchronization
package import WaymarkImage

/// The data of a reference for alignment and tracking: the picture at falling sizes, and on each of them the places of most
/// texture.
///
/// The places of a size are looked for when they are first asked for: a single frame needs three sizes of nine, and the
/// largest take longest. Memory is taken when the template is made, never later. To be used from one thread at a time.
package final class AnchorTemplate {
  /// One size of the picture.
  package struct Level {
    /// Relative to the reference.
    package let scale: Double
    /// Centres of patches in reference pixels; however many are taken from the front, they are spread over the picture.
    package let centers: UnsafeBufferPointer<SIMD2<Float>>
  }

  package private(set) var width = 0
  package private(set) var height = 0
  /// How many times the reference's size the largest level is: 1 or 2.
  package private(set) var detail = 1.0
  package let pyramid = GrayPyramid(compact: true)
  /// The places of all levels, with room for `TextureRanking.most` of each.
  private let places: UnsafeMutablePointer<SIMD2<Float>>
  /// How many places each level has; below zero where nobody has asked yet.
  private var counts: [Int]

  /// By which steps the reference resembles itself, in its pixels; looked for when somebody first asks.
  package var repeats: [Point2] {
    if !isStepped { (steps, isStepped) = (RepeatedStructure.steps(of: pyramid, detail: detail), true) }
    return steps
  }
  private var steps: [Point2] = []
  private var isStepped = false
  /// Another one for each reference that any template has taken: what is remembered of one must not be taken for another's.
  private(set) var serial = 0
  private static let serials = Atomic<Int>(0)

  /// Twice the reference's size, and nine sizes from its own on.
  private static let levels = 11
  private static let minimumSide = 16

  /// Room for pictures of so many pixels a side; its pages are in memory once one is loaded.
  init(side: Int = AnchorCompiler.side) {
    places = .allocate(capacity: TextureRanking.most * Self.levels)
    counts = Array(repeating: -1, count: Self.levels)
    pyramid.reserve(width: side, height: side, levels: Self.levels, minimumSide: Self.minimumSide)
  }

  /// - Parameters:
  ///   - image: the reference, long side 480 by convention; any size works.
  ///   - detail: how many times the reference's size that is.
  package convenience init(_ image: GrayImage, detail: Int = 1) {
    self.init(side: max(image.width, image.height))
    load(image, detail: detail)
  }

  /// Takes another reference, in the memory of the one before.
  func load(_ image: GrayImage, detail: Int = 1) {
    (width, height) = (image.width / detail, image.height / detail)
    self.detail = Double(detail)
    serial = Self.serials.add(1, ordering: .relaxed).newValue
    isStepped = false
    image.withView {
      pyramid.update($0, levels: detail == 1 ? Self.levels - 2 : Self.levels, minimumSide: Self.minimumSide)
    }
    for i in counts.indices { counts[i] = -1 }
  }

  deinit { places.deallocate() }

  /// One size of the picture and the places on it.
  package func level(_ index: Int, ranking: TextureRanking) -> Level {
    let scale = scale(index)
    let own = places + TextureRanking.most * index
    if counts[index] < 0 { counts[index] = ranking.rank(pyramid.level(index), scale: scale, into: own) }
    return Level(scale: scale, centers: UnsafeBufferPointer(start: own, count: counts[index]))
  }

  /// The size of a level relative to the reference.
  package func scale(_ index: Int) -> Double { detail * pyramid.scale(index) }

  /// The level whose pixels are the largest that are still no larger than `1 / scale` reference pixels (with a tolerance
  /// of a sixth): what is drawn at `scale` from it is reduced, hardly ever enlarged.
  package func level(for scale: Double) -> Int {
    (0..<pyramid.count).last { self.scale($0) >= scale * 0.85 } ?? 0
  }
}
