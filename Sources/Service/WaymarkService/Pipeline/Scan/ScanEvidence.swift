import WaymarkBarcodes
import WaymarkImage
import WaymarkOnboarding

/// The evidence an armed scan has seen so far short of a read, for the reason it gives when its time is over.
struct ScanEvidence: Sendable {
  private var frames = 0
  private var unreadable = 0
  private var others = 0
  private(set) var missing: [Int]?
  private(set) var corners: Quadrilateral?

  /// Takes one frame's verdict and reading.
  mutating func add(_ result: PictureVerdict, _ reading: ScanReading) {
    frames += 1
    switch result.verdict.outcome {
    case .unsuccessful(.incomplete):
      // The frame that saw most parts knows best.
      if missing.map({ result.verdict.missing.count <= $0.count }) ?? true { missing = result.verdict.missing }
      corners = result.corners
    case .unsuccessful(.codeNotReadable):
      unreadable += 1
      if missing == nil { corners = result.corners ?? corners }
    case .unsuccessful(.notQR): others += 1
    default: break
    }
  }

  /// Why nothing acceptable was read. One odd frame among many proves nothing.
  var reason: ReadingFailure {
    let enough = min(2, max(1, frames))
    if missing != nil { return .incomplete }
    if unreadable >= enough { return .codeNotReadable }
    return others >= enough ? .notQR : .nothingFound
  }
}
