import Foundation
import Glibc
import WaymarkAnchors
import WaymarkSystem

/// The folder of compiled anchors. Nothing in it is needed: what is missing or damaged is compiled again.
struct SceneCache: Sendable {
  private let folder: String
  /// Libraries that are kept; each edit of a scene's pictures makes another.
  private static let kept = 32

  init(folder: String) { self.folder = folder }

  /// True if only this user and root can have put anything there: what is found is trusted. In a
  /// shared `/tmp` somebody else may have made the folder first.
  private var isOurs: Bool {
    var information = stat()
    return lstat(folder, &information) == 0 && information.st_mode & S_IFMT == S_IFDIR
      && (information.st_uid == geteuid() || information.st_uid == 0) && information.st_mode & 0o022 == 0
  }

  /// Where the library of that name is.
  private func path(_ name: String) -> String { "\(folder)/\(name).anchors" }

  /// The library of that name; nil when it must be compiled.
  ///
  /// - Parameter warn: told when a damaged file was put aside.
  func library(_ name: String, warn: (String) -> Void) -> AnchorLibrary? {
    guard isOurs else { return nil }
    let path = path(name)
    do throws(AnchorError) {
      let library = try AnchorLibrary(path: path)
      try library.check()
      // Used now: the others go first.
      utimes(path, nil)
      return library
    } catch {
      guard error.code != .cannotOpen else { return nil }
      let aside = DurableFile.setAside(path)
      warn(
        "\(error.message) It was set aside\(aside.map { " as \($0)" } ?? "") and the anchors are compiled again.")
      return nil
    }
  }

  /// Keeps a library.
  func keep(_ bytes: [UInt8], as name: String) throws(AnchorError) -> AnchorLibrary {
    try? Folder.make(folder)
    guard isOurs else {
      throw AnchorError(
        .cannotWrite, "The cache of scenes \(folder) belongs to another user, or others may write in it.",
        hint: "Name a folder of this user under scenes.cache.")
    }
    tidy()
    let path = path(name)
    try LibraryWriter.write(bytes, to: path)
    return try AnchorLibrary(path: path)
  }

  /// Removes the libraries that were not used for longest, and what a killed writer left behind. A library in use lives on
  /// without its name.
  private func tidy() {
    let names = (try? Folder.names(folder)) ?? []
    for name in names where name.hasSuffix(".tmp") {
      // NAME.anchors.PID.tmp
      let parts = name.split(separator: ".")
      guard parts.count == 4, parts[1] == "anchors", let writer = pid_t(parts[2]) else { continue }
      if writer == getpid() || (kill(writer, 0) != 0 && errno == ESRCH) { unlink("\(folder)/\(name)") }
    }
    let dated = names.filter { $0.hasSuffix(".anchors") }.map { name -> (path: String, used: Int) in
      var information = stat()
      let path = "\(folder)/\(name)"
      return (path, stat(path, &information) == 0 ? information.st_mtim.tv_sec : 0)
    }
    for old in dated.sorted(by: { $0.used > $1.used }).dropFirst(Self.kept - 1) { unlink(old.path) }
  }
}
