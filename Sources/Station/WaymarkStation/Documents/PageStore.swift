import Foundation
import Glibc
import WaymarkDocuments
import WaymarkFrames
import WaymarkSystem

/// The captured pages that are not yet saved, as files in a folder: one record of all pages, and a picture of each.
///
/// A picture is written and flushed before the record that names it, and removed after the record, so that published pages are not
/// lost whenever the process ends. With a key, both are encrypted by a `PageSeal`. Blocks; use it from one thread at a time.
final class PageStore: Sendable {
  /// The operations that change files, which tests replace.
  struct Disk: Sendable {
    /// Replaces a file.
    var replace: @Sendable (String, [UInt8]) throws -> Void = { try DurableFile.replace($0, with: $1) }
    /// Removes a file; returns `errno` if that failed.
    var remove: @Sendable (String) -> Int32? = { unlink($0) == 0 ? nil : errno }
  }

  private let folder: String
  private let seal: PageSeal?
  private let disk: Disk
  private let wall: @Sendable () -> Double
  /// The largest picture in bytes.
  static let pictureLimit = 64 << 20
  /// The bytes that a seal may add.
  private static let sealLimit = 64

  /// Creates a store. Its folder is made by the first write.
  ///
  /// - Parameter wall: the time of day in seconds since 1970.
  init(
    folder: String, seal: PageSeal? = nil, disk: Disk = Disk(),
    wall: @escaping @Sendable () -> Double = { WallClock.now }
  ) {
    self.wall = wall
    self.folder = folder
    self.disk = disk
    self.seal = seal
  }

  // MARK: Writing

  /// Writes the record of all pages.
  ///
  /// - Throws: an error if the folder cannot be made, or the file cannot be encrypted or replaced.
  func write(_ ledger: DocumentManifest) throws { try put(try ledger.encoded(), as: "record") }

  /// Writes the picture of the page with a number.
  func add(_ picture: [UInt8], _ number: Int) throws { try put(picture, as: Self.name(number)) }

  /// Removes pictures that the record no longer names.
  func remove(_ numbers: some Sequence<Int>) { for number in numbers { _ = disk.remove(path(Self.name(number))) } }

  /// Removes all files, the record first. If the process ends in between, `load` removes the pictures, because they are in no
  /// record.
  ///
  /// - Throws: `FileError` if the record cannot be removed; the pictures are then kept.
  func clear() throws {
    if let number = disk.remove(path("record")), number != ENOENT {
      throw FileError(path("record"), cannotBe: "removed", number: number)
    }
    _ = DurableFile.synchronizeFolder(of: path("record"))
    remove(numbers())
  }

  private func put(_ bytes: [UInt8], as name: String) throws {
    try Folder.make(folder)
    try disk.replace(path(name), try seal?.sealed(bytes, name) ?? bytes)
  }

  // MARK: Reading

  /// Reads the picture of the page with a number.
  func picture(_ number: Int) throws -> [UInt8] { try opened(Self.name(number), limit: Self.pictureLimit) }

  private func opened(_ name: String, limit: Int) throws -> [UInt8] {
    let bytes = try WholeFile.read(path(name), limit: limit + Self.sealLimit, kind: .unlinked)
    return try PageSeal.opened(bytes, name, in: folder, by: seal)
  }

  /// Loads the folder, with warnings for the log, and removes the leftovers of a crash.
  ///
  /// - Throws: a problem if the folder cannot be read, or was sealed with another key. The pages are then unchanged.
  func load() throws(ServiceProblem) -> (ledger: DocumentManifest?, warnings: [String]) {
    guard FileKind(folder) == .folder else { return (nil, []) }
    for name in ((try? Folder.names(folder)) ?? []) where name.hasSuffix(".new") { unlink(path(name)) }
    guard FileKind(path("record")) != nil else {
      remove(numbers())
      return (nil, [])
    }
    var ledger: DocumentManifest
    var warnings: [String] = []
    do {
      ledger = try DocumentManifest(try opened("record", limit: DocumentManifest.byteLimit))
    } catch let problem as ServiceProblem {
      throw problem
    } catch {
      warnings.append("\(Self.words(error)); it is made again from the pictures in \(folder)")
      ledger = repaired()
    }
    let there = Set(numbers())
    let lost = ledger.pages.filter { !there.contains($0.number) }
    if !lost.isEmpty {
      warnings.append("\(lost.count) pictures of pages are missing in \(folder)")
      ledger.pages.removeAll { !there.contains($0.number) }
    }
    remove(there.subtracting(ledger.pages.map(\.number)))
    return (ledger, warnings)
  }

  /// Makes a record of all readable pictures.
  private func repaired() -> DocumentManifest {
    DurableFile.setAside(path("record"))
    let now = Int(wall())
    var ledger = DocumentManifest(session: "recovered", changed: now)
    for number in numbers().sorted().prefix(DocumentManifest.pageLimit) {
      guard let picture = try? picture(number),
        let size = picture.withUnsafeBytes({ JPEGStructure.pictureSize($0) })
      else { continue }
      ledger.adopt(
        DocumentManifest.Page(
          number: number, width: size.width, height: size.height, outline: nil, filter: .colour, captured: now,
          bytes: picture.count))
    }
    return ledger
  }

  private static func words(_ error: any Error) -> String {
    (error as? FileError)?.message ?? (error as? DocumentManifest.Damage)?.message ?? "\(error)"
  }

  // MARK: Names

  private static func name(_ number: Int) -> String { "page-\(number)" }

  private func path(_ name: String) -> String { "\(folder)/\(name)" }

  private func numbers() -> [Int] {
    ((try? Folder.names(folder)) ?? []).compactMap { name in
      guard name.hasPrefix("page-"), let number = Int(name.dropFirst(5)), DocumentManifest.numbers.contains(number),
        Self.name(number) == name
      else { return nil }
      return number
    }
  }
}
