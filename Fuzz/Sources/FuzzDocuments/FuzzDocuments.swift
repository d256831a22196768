import FuzzSupport
import WaymarkImage

@testable import WaymarkDocuments

/// The record of captured pages, as a disk or another hand may have left it.
@main
struct FuzzDocuments {
  static func main() { fuzz(seeds: seeds()) { feed($0, $1) } }
}

private func feed(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard let ledger = try? DocumentManifest(input(bytes, count)) else { return 0 }
  for page in ledger.pages {
    require(page.number < ledger.nextNumber, "a page's number would be given again")
    if let outline = page.outline {
      require(outline.isConvex && outline.isFinite, "an outline that is none")
      _ = PageShape(outline: outline, width: Double(page.width), height: Double(page.height))
    }
    _ = page.bends.flatMap { PageBends(numbers: $0) }
  }
  // Numbers are written to a millionth; what was written once does not change any more.
  let written = try? ledger.encoded()
  let again = written.flatMap { try? DocumentManifest($0) }
  require(written != nil && (try? again?.encoded()) == written, "a record does not survive being written")
  return 0
}

private func seeds() -> [[UInt8]] {
  var ledger = DocumentManifest(session: "d1", changed: 1_700_000_000)
  let outline = Quadrilateral(
    topLeft: Point2(10, 10), topRight: Point2(90, 12), bottomRight: Point2(88, 120), bottomLeft: Point2(9, 118))
  for outline in [nil, outline] {
    ledger.pages.append(
      DocumentManifest.Page(
        number: ledger.takeNumber(), width: 640, height: 480, outline: outline,
        bends: outline.map { _ in [0, 0.1, 0, 0, 0, 0, 0.2, 0] }, filter: .colour, captured: 1_700_000_000, bytes: 1000)
    )
  }
  return [(try? ledger.encoded()) ?? [], Array("{}".utf8)]
}
