import Foundation
import Glibc
import WaymarkCrypto
import WaymarkDocuments
import WaymarkFrames
import WaymarkServer
import WaymarkSystem

/// The pages that were captured and not yet saved, in a folder: a record and a picture each.
///
/// A picture is written and flushed before the record that names it, and removed after the record no longer does: whenever the process
/// ends, the folder holds every page that anybody was told of. With a key both are sealed (AES-256-GCM, RFC 5116), each under its name.
/// Blocks; one thread at a time.
final class PageStore: Sendable {
  /// A problem of the folder or its key.
  typealias Trouble = ServiceProblem

  /// The operations on files.
  struct Disk: Sendable {
    /// Puts a file in place of the one before.
    var replace: @Sendable (String, [UInt8]) throws -> Void = { try DurableFile.replace($0, with: $1) }
    /// Removes a file; `errno` when that failed.
    var remove: @Sendable (String) -> Int32? = { unlink($0) == 0 ? nil : errno }
  }

  private let folder: String
  private let key: SymmetricKey?
  private let disk: Disk
  private let wall: @Sendable () -> Double
  private static let mark = Array("WMSEAL1\n".utf8)
  /// No picture of a camera has more bytes.
  static let pictureLimit = 64 << 20

  /// A store in that folder, which is made when something is written.
  ///
  /// - Parameter wall: the time of day, in seconds since 1970.
  init(
    folder: String, key: SymmetricKey? = nil, disk: Disk = Disk(),
    wall: @escaping @Sendable () -> Double = { WallClock.now }
  ) {
    self.wall = wall
    self.folder = folder
    self.disk = disk
    self.key = key
  }

  /// The key in a file of 32 bytes, which is made where there is none.
  static func key(_ path: String) throws(Trouble) -> SymmetricKey {
    let trouble = { (reason: String) in
      Trouble(
        code: "documentKey", message: "The key file \(path) cannot be used: \(reason).",
        hint: "Name a file of 32 random bytes as documents.keyFile, or one in a folder where it can be made.")
    }
    // No file of that name is to be made where the service happens to run.
    guard !Credential.isMissing(path) else { throw trouble("systemd handed over no such credential") }
    do throws(FileError) {
      if FileKind(path) == nil {
        try DurableFile.replace(path, with: (0..<32).map { _ in UInt8.random(in: 0...255) })
      }
      let bytes = try WholeFile.read(path, limit: 4096)
      guard bytes.count == 32 else { throw FileError(.failed, "it has \(bytes.count) bytes, not 32", hint: "") }
      return SymmetricKey(bytes)
    } catch {
      throw trouble(error.cause ?? error.message)
    }
  }

  // MARK: Writing

  /// Writes the record.
  func write(_ ledger: DocumentManifest) throws { try put(try ledger.encoded(), as: "record") }

  /// Writes a picture.
  func add(_ picture: [UInt8], _ number: Int) throws { try put(picture, as: Self.name(number)) }

  /// Removes pictures that no record names any longer.
  func remove(_ numbers: some Sequence<Int>) { for number in numbers { _ = disk.remove(path(Self.name(number))) } }

  /// Removes everything. The record goes first: pictures without one are nobody's.
  func clear() throws {
    if let number = disk.remove(path("record")), number != ENOENT {
      throw FileError(path("record"), cannotBe: "removed", number: number)
    }
    _ = DurableFile.synchronizeFolder(of: path("record"))
    remove(numbers())
  }

  private func put(_ bytes: [UInt8], as name: String) throws {
    try Folder.make(folder)
    try disk.replace(path(name), try sealed(bytes, name))
  }

  // MARK: Reading

  /// A picture.
  func picture(_ number: Int) throws -> [UInt8] {
    let name = Self.name(number)
    return try opened(try WholeFile.read(path(name), limit: Self.pictureLimit + 64, kind: .unlinked), name)
  }

  /// Loads the folder's contents, with words for the log about what was wrong. What a crash left behind is removed.
  ///
  /// - Throws: when it cannot be read, or with another key only: then nothing was changed.
  func load() throws(Trouble) -> (ledger: DocumentManifest?, warnings: [String]) {
    guard FileKind(folder) == .folder else { return (nil, []) }
    for name in ((try? Folder.names(folder)) ?? []) where name.hasSuffix(".new") { unlink(path(name)) }
    guard FileKind(path("record")) != nil else {
      remove(numbers())
      return (nil, [])
    }
    var ledger: DocumentManifest
    var warnings: [String] = []
    do {
      let bytes = try WholeFile.read(path("record"), limit: DocumentManifest.byteLimit + 64, kind: .unlinked)
      ledger = try DocumentManifest(try opened(bytes, "record"))
    } catch let trouble as Trouble {
      throw trouble
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

  /// A record of all pictures that can be read, whole.
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

  // MARK: Names and seals

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

  private func sealed(_ bytes: [UInt8], _ name: String) throws -> [UInt8] {
    guard let key else { return bytes }
    return Self.mark + Self.sign(of: key) + (try key.seal(bytes, authenticating: Array(name.utf8)))
  }

  /// Eight bytes by which a key is told from others, so that a wrong key is not taken for a damaged file.
  private static func sign(of key: SymmetricKey) -> [UInt8] {
    Array(key.authenticationCode(for: Array("waymark documents".utf8)).prefix(8))
  }

  private func opened(_ bytes: [UInt8], _ name: String) throws -> [UInt8] {
    // Pages written before a key was configured can still be read.
    guard bytes.starts(with: Self.mark) else { return bytes }
    let trouble = Trouble(
      code: "documentKey", message: "The pages in \(folder) are sealed with another key.",
      hint: "Name the key file that they were sealed with as documents.keyFile, or remove the folder.")
    let rest = bytes.dropFirst(Self.mark.count)
    guard let key, rest.starts(with: Self.sign(of: key)) else { throw trouble }
    do {
      return try key.open(Array(rest.dropFirst(8)), authenticating: Array(name.utf8))
    } catch {
      throw FileError(.failed, "\(path(name)) is damaged", hint: "Check the medium it is on.")
    }
  }
}
