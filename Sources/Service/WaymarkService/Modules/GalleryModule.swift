import NIOPosix
import WaymarkProtocol
package import WaymarkServer
import WaymarkSystem

/// `gallery.list`, and the bytes behind `media.gallery` and `gallery.scan`.
@ServiceActor
package final class GalleryModule: ServiceModule {
  private var gallery: Gallery

  /// The pictures in `folders`.
  package init(folders: [String]) { gallery = Gallery(folders: folders) }

  /// Looks into other folders from now on; ids of before hold no longer.
  package func use(_ folders: [String]) {
    if folders != gallery.folders { gallery = Gallery(folders: folders) }
  }

  package var features: [String] { gallery.folders.isEmpty ? [] : ["gallery"] }

  nonisolated static let notConfigured = ServiceError(
    .notConfigured, "No folder of pictures is configured.", hint: "Name folders under gallery.folders.")
  private nonisolated static let notFound = ServiceError(
    .notFound, "There is no picture of this id.", hint: "Call gallery.list again: the picture may have been removed.")

  /// Opens a picture.
  package func open(_ id: String) async throws -> OpenPicture {
    guard !gallery.folders.isEmpty else { throw Self.notConfigured }
    let gallery = gallery
    guard let file = try await NIOThreadPool.singleton.runIfActive({ try gallery.open(id) }) else {
      throw Self.notFound
    }
    return file
  }

  package func register(in methods: inout MethodTable) {
    methods.addLater(GalleryListRequest.self) { [weak self] request, _ in
      guard let gallery = self?.gallery, !gallery.folders.isEmpty else { throw Self.notConfigured }
      let limit = request.limit ?? 50
      return {
        let entries = try await NIOThreadPool.singleton.runIfActive { try gallery.entries() }
        var first = 0
        if let after = request.after {
          guard let index = entries.firstIndex(where: { $0.id == after }) else { throw Self.notFound }
          first = index + 1
        }
        let page = entries[first...].prefix(limit)
        return GalleryListResult(
          pictures: page.map { entry in
            GalleryPicture(
              id: entry.id, name: entry.name, size: entry.size, modified: WallClock.timestamp(seconds: entry.modified))
          }, next: first + page.count < entries.count ? page.last?.id : nil)
      }
    }
  }
}
