import NIOPosix
import WaymarkImage
package import WaymarkServer
package import WaymarkSystem

/// Keeps the lenses that were learned, by camera, in a file: a device that starts again knows its camera.
///
/// A file that is damaged, or of cameras that nobody has any more, costs nothing: it is learned again.
@ServiceActor
package final class LensStore {
  private struct Entry: Codable {
    var camera: String
    var width: Int
    var height: Int
    /// In pixels.
    var focalLength: Double
    var deviation: Double
    var views: Int
  }

  /// How many cameras are kept: those learned last.
  nonisolated static let limit = 32
  private nonisolated static let longest = 64 << 10
  private nonisolated static let name = "lenses.json"
  private let folder: String?
  /// The camera learned last at the end.
  private var entries: [Entry]

  /// Opens the store.
  ///
  /// - Parameter folder: the service's own, made with the first camera that is learned; without one nothing is kept beyond this run.
  package nonisolated init(folder: String?) {
    self.folder = folder
    let bytes = folder.flatMap { try? WholeFile.read("\($0)/\(Self.name)", limit: Self.longest, kind: .unlinked) }
    let read = bytes.flatMap { try? JSONValueDecoder.decode([Entry].self, from: JSONParser.parse($0)) } ?? []
    entries = Array(read.filter { Self.lens($0) != nil }.suffix(Self.limit))
  }

  /// The lens that was learned of a camera, if one was.
  package func lens(of camera: String) -> LensLearner.Lens? {
    entries.last { $0.camera == camera }.flatMap(Self.lens)
  }

  /// The lens that an entry tells of; `nil` where its numbers are of none.
  private nonisolated static func lens(_ entry: Entry) -> LensLearner.Lens? {
    let longer = Double(max(entry.width, entry.height))
    guard entry.width > 0, entry.height > 0, longer <= 65536, (0.1 * longer...20 * longer).contains(entry.focalLength),
      entry.deviation > 0, entry.deviation < 1, entry.views >= 0
    else { return nil }
    return LensLearner.Lens(
      width: entry.width, height: entry.height,
      estimate: .init(focal: entry.focalLength, deviation: entry.deviation, views: entry.views))
  }

  /// Keeps what was learned of a camera.
  ///
  /// - Parameter onProblem: called where it cannot be written; it then holds for this run.
  package func keep(
    _ lens: LensLearner.Lens, of camera: String, onProblem: @escaping @Sendable (FileError) -> Void
  ) {
    guard camera.utf8.count <= 1024 else { return }
    entries.removeAll { $0.camera == camera }
    entries.append(
      Entry(
        camera: camera, width: lens.width, height: lens.height, focalLength: lens.estimate.focal,
        deviation: lens.estimate.deviation, views: lens.estimate.views))
    entries = entries.suffix(Self.limit)
    guard let folder, let bytes = try? JSONLineEncoder.encode(entries) else { return }
    BlockingWork.records.submit { _ in
      do throws(FileError) {
        try Folder.make(folder)
        try DurableFile.replace("\(folder)/\(Self.name)", with: bytes)
      } catch {
        onProblem(error)
      }
    }
  }
}
