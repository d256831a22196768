import WaymarkDocuments
import WaymarkImage
import WaymarkProtocol
import WaymarkSystem

extension DocumentPage {
  /// As the wire tells it.
  init(_ page: DocumentManifest.Page) {
    let shape = page.outline.map { PageShape(outline: $0, width: Double(page.width), height: Double(page.height)) }
    self.init(
      id: OpenDocument.id(page.number), revision: page.revision, width: page.width, height: page.height,
      corners: page.outline?.corners.map { [$0.x, $0.y] }, format: shape?.format.map(PaperFormat.init),
      filter: DocumentFilter(page.filter), rotation: page.turns * 90,
      captured: WallClock.timestamp(seconds: page.captured)
    )
  }
}

extension PageFilter {
  /// The filter of the wire.
  init(_ filter: DocumentFilter) {
    self =
      switch filter {
      case .colour: .colour
      case .grayscale: .grayscale
      case .blackAndWhite: .blackAndWhite
      case .photo: .photo
      }
  }
}

extension DocumentFilter {
  /// As the wire calls it.
  init(_ filter: PageFilter) {
    self =
      switch filter {
      case .colour: .colour
      case .grayscale: .grayscale
      case .blackAndWhite: .blackAndWhite
      case .photo: .photo
      }
  }
}
