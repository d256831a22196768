import CKernels
import WaymarkImage

/// A picture at 1, 1/2, 1/4 … of its size: finder patterns of every size show somewhere at three to seven pixels a module,
/// where the level of a neighbourhood parts dark from light best, and noise and the raster of screens are averaged away.
final class Octaves {
  /// The finest octave in which finder patterns are looked for at first has no more pixels than that: a code of two modules
  /// a pixel there is a twentieth of the picture wide.
  static let searched = 3_200_000
  /// Bars, and edges that no symbol explains, are looked for in pictures of no more pixels than that.
  static let barred = 1_600_000

  /// One of the sizes.
  struct Octave {
    let view: ImageView
    let levels: BlockMean
    /// Pixels of the source to one of this, along a side.
    let factor: Double
  }

  private let image: ImageView
  private var pictures: [GrayImage] = []
  private var made: [Octave?] = []
  private var searches: [FinderSearch?] = []

  /// The least contrast of an edge, in gray levels.
  private let flat: UInt8

  /// The picture is borrowed: it must outlive this.
  init(_ image: ImageView, flat: UInt8 = BlockMean.plain) {
    self.image = image
    self.flat = flat
    let (width, height) = (image.width, image.height)
    var count = 1
    while min(width, height) >> count >= Self.leastSide, count < 6 { count += 1 }
    made = Array(repeating: nil, count: count)
    searches = Array(repeating: nil, count: count)
  }

  /// A code of 21 modules and its border are 29 wide, two pixels each.
  private static let leastSide = 60

  /// How many sizes there are.
  var count: Int { made.count }

  /// One of them, made when it is first asked for.
  subscript(_ index: Int) -> Octave {
    if let known = made[index] { return known }
    let view = self.view(index)
    let octave = Octave(view: view, levels: BlockMean(view, flat: flat), factor: Double(1 << index))
    made[index] = octave
    return octave
  }

  /// The finder patterns that the usual rows of an octave show: searched for once, when they are first asked for.
  func finders(_ index: Int) -> FinderSearch {
    if let known = searches[index] { return known }
    let octave = self[index]
    let search = FinderSearch(octave.view, levels: octave.levels)
    searches[index] = search
    return search
  }

  /// Returns whether it was asked for before: then looking at it again costs nothing.
  func isMade(_ index: Int) -> Bool { made[index] != nil }

  /// Its pixels alone.
  func view(_ index: Int) -> ImageView {
    if index == 0 { return image }
    while pictures.count < index {
      pictures.append((pictures.last?.unsafeView ?? image).shrunk(by: 2))
    }
    return pictures[index - 1].unsafeView
  }

  /// The finest size of at most `pixels`, or the coarsest.
  func index(ofAtMost pixels: Int) -> Int {
    (0..<count).first { (image.width >> $0) * (image.height >> $0) <= pixels } ?? count - 1
  }
}
