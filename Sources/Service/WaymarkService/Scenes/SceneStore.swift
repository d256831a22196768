import FoundationEssentials
import Glibc
import WaymarkAnchors
import WaymarkImage
import WaymarkProtocol
import WaymarkScenes
import WaymarkServer
import WaymarkSystem
import WaymarkWorker

/// A scene that was read and whose pictures were compiled. `SceneStore` below reads and compiles scenes, `SceneFailure` is its
/// reason for a failure, and `SceneCache` keeps the compiled anchors.
struct LoadedScene: Sendable {
  var name: String
  var folder: SceneFolder
  var scene: Scene
  /// The compiled pictures; `nil` if all anchors are codes.
  var library: AnchorLibrary?
  /// The key of each picture in the cache, in the order of the library.
  var keys: [String]
  var stamp: SceneFingerprint
  var warnings: [String]

  /// The number of copies of each picture that are followed.
  var copies: AnchorCopies {
    AnchorCopies(
      named: Dictionary(scene.anchors.lazy.filter { $0.copies > 1 }.map { ($0.name, $0.copies) }) { first, _ in first })
  }

  var codes: [AnchorCode] {
    scene.anchors.compactMap { anchor in
      anchor.code.map { AnchorCode(anchor: anchor.name, code: $0, physicalWidth: anchor.physicalWidth) }
    }
  }

  /// Returns the path of a picture, by its id from `SessionWire.resource`; nil if the scene has no picture with this
  /// id.
  func picture(_ id: String) -> String? {
    guard let slash = id.firstIndex(of: "/") else { return nil }
    let (kind, name) = (id[..<slash], String(id[id.index(after: slash)...]))
    let annotation = scene.annotations.first { $0.annotation.id == name }?.annotation
    let path: String? =
      switch kind {
      case "anchor": scene.anchors.first { $0.name == name }.flatMap(\.image)
      case "card": annotation?.card?.image
      case "icon": annotation?.marker.icon.flatMap { Scene.isPicturePath($0) ? $0 : nil }
      default: nil
      }
    return path.flatMap(folder.resolved)
  }
}

/// The reason why a scene cannot be used.
struct SceneFailure: Error, Sendable {
  var code: String
  var message: String
  var hint: String
  var problems: [String]
  /// True if the scene itself may be valid: the process lacks descriptors, so that files cannot be read.
  var isTemporary = false
  /// True if files of the scene changed while they were read.
  var isStale = false

  /// The number of free file descriptors that a load needs: for the scene's files, the cache and a worker.
  private static let descriptors = 8

  /// Returns the failure for a load with too few free descriptors; nil if there are enough.
  static func exhausted(_ name: String) -> SceneFailure? {
    guard !OpenFileLimit.hasRoom(for: descriptors) else { return nil }
    return SceneFailure(
      code: ServiceError.Code.busy.rawValue,
      message: "The scene \"\(name)\" cannot be read now: few file descriptors are left.",
      hint: "Try again later; if it stays, raise LimitNOFILE, or lower clients.maximum.", problems: [],
      isTemporary: true)
  }

  /// The error for clients, whose hint has the first problem of the scene.
  var reply: ServiceError {
    ServiceError(
      ServiceError.Code(rawValue: code), message, hint: problems.first.map { "\(hint) First: \($0)" } ?? hint)
  }
}

/// Reads scenes and compiles their anchors, with a cache of compiled anchors.
struct SceneStore: Sendable {
  private let cache: SceneCache
  private let isolation: Isolation

  /// Creates a store.
  ///
  /// - Parameter cache: the folder of compiled anchors; nil for a folder in the cache folder of the service or user.
  init(cache: String?, isolation: Isolation) {
    self.isolation = isolation
    let environment = ProcessInfo.processInfo.environment
    let base =
      environment["CACHE_DIRECTORY"].map { String($0.prefix { $0 != ":" }) }
      ?? environment["XDG_CACHE_HOME"].map { "\($0)/waymark" } ?? environment["HOME"].map { "\($0)/.cache/waymark" }
      ?? "\(FileManager.default.temporaryDirectory.path)/waymark-\(geteuid())"
    self.cache = SceneCache(folder: cache ?? "\(base)/scenes")
  }

  /// Reads a scene and compiles its anchors, which may take a while. Anchors in the cache, or in the scene in use, are not compiled
  /// again.
  ///
  /// - Parameter previous: the scene in use; nil if no scene is in use.
  func load(
    _ entry: SceneCatalog.Entry, previous: LoadedScene?, progress: (_ done: Int, _ total: Int) -> Void
  ) -> Result<LoadedScene, SceneFailure> {
    var result = read(entry, previous: previous, progress: progress)
    // If the scene was saved during the load, some of its files were read before it was saved and some after.
    var attempts = 1
    while case .failure(let failure) = result, failure.isStale, attempts < Self.attempts {
      attempts += 1
      result = read(entry, previous: previous, progress: progress)
    }
    // Without free descriptors, even a valid scene fails, in various ways; all of them are reported as this failure.
    guard case .failure = result, let exhausted = SceneFailure.exhausted(entry.name) else { return result }
    return .failure(exhausted)
  }

  /// The largest number of times that a scene is read while its files keep changing.
  private static let attempts = 4

  private func read(
    _ entry: SceneCatalog.Entry, previous: LoadedScene?, progress: (_ done: Int, _ total: Int) -> Void
  ) -> Result<LoadedScene, SceneFailure> {
    guard let folder = SceneFolder(entry.path) else {
      return .failure(failure(entry.name, [], "its folder was removed", code: "notFound"))
    }
    // Taken before the files are read, so that a change during the load is noticed afterwards.
    let before = SceneFingerprint(folder: folder, scene: nil)
    let report = SceneLoader.load(folder: entry.path)
    var problems = report.problems.map(\.description)
    guard let scene = report.scene else {
      let count = report.errors.count + report.omitted
      var failure = failure(
        entry.name, problems, "it has \(count) \(count == 1 ? "error" : "errors")", code: "badScene")
      failure.isStale = before != SceneFingerprint(folder: folder, scene: nil)
      return .failure(failure)
    }
    let stamp = SceneFingerprint(folder: folder, scene: scene)
    do throws(SceneFailure) {
      let (library, keys) = try library(
        scene, folder, previous, entry.name, warn: { problems.append($0) }, progress)
      var placed = scene
      for index in placed.anchors.indices where placed.anchors[index].code == nil {
        let anchor = scene.anchors[index]
        if anchor.hasPixelPlaces {
          // The positions are in pixels of the file, and the reference in the library is smaller.
          let picture = try picture(try file(anchor, folder, entry.name), anchor, entry.name)
          placed.anchors[index].place(width: picture.width, height: picture.height)
        } else if let picture = library?.references.first(where: { $0.name == anchor.name }) {
          placed.anchors[index].place(width: picture.width, height: picture.height)
        }
      }
      guard before == SceneFingerprint(folder: folder, scene: nil) else {
        throw stale(entry.name)
      }
      return .success(
        LoadedScene(
          name: entry.name, folder: folder, scene: placed, library: library, keys: keys,
          stamp: stamp, warnings: problems))
    } catch {
      return .failure(error)
    }
  }

  private func failure(_ name: String, _ problems: [String], _ what: String, code: String) -> SceneFailure {
    SceneFailure(
      code: code, message: "The scene \"\(name)\" cannot be used: \(what).",
      hint: "Run waymark scene check to list every problem.", problems: problems)
  }

  private func stale(_ name: String) -> SceneFailure {
    var failure = failure(name, [], "its files changed while they were read", code: "badScene")
    failure.isStale = true
    return failure
  }

  private func library(
    _ scene: Scene, _ folder: SceneFolder, _ previous: LoadedScene?, _ name: String, warn: (String) -> Void,
    _ progress: (_ done: Int, _ total: Int) -> Void
  ) throws(SceneFailure) -> (AnchorLibrary?, [String]) {
    let anchors = scene.pictures
    guard !anchors.isEmpty else { return (nil, []) }
    // Each file is read twice, for its key and to compile it, so that only one file is in memory at a time.
    var keys: [String] = []
    for anchor in anchors { keys.append(Self.key(anchor, try file(anchor, folder, name))) }
    if let previous, previous.keys == keys, previous.library?.failure == nil { return (previous.library, keys) }
    let entry = Self.hash("twins\u{0}\(keys.joined())".utf8)
    if let library = cache.library(entry, warn: warn), library.references.map(\.name) == anchors.map(\.name) {
      return (library, keys)
    }
    var compiled: [CompiledAnchor] = []
    var compiler: AnchorCompiler?
    for (index, anchor) in anchors.enumerated() {
      progress(index, anchors.count)
      if let previous, let library = previous.library, let old = previous.keys.firstIndex(of: keys[index]) {
        // An anchor that cannot be read from the previous library is compiled again.
        if let known = try? library.compiled(old) {
          compiled.append(known)
          continue
        }
      }
      let bytes = try file(anchor, folder, name)
      guard Self.key(anchor, bytes) == keys[index] else {
        throw stale(name)
      }
      let picture = try self.picture(bytes, anchor, name)
      let tool = compiler ?? AnchorCompiler(settings: AnchorCompiler.Settings(anchors: anchors.count))
      compiler = tool
      var made: CompiledAnchor
      do throws(AnchorError) {
        made = try tool.compile(name: anchor.name, physicalWidth: anchor.physicalWidth, picture: picture)
        try AnchorCompiler.check(made)
      } catch {
        throw failure(
          name, ["\(anchor.image ?? ""): error: \(anchor.name): \(error.message) (\(error.hint))"],
          "the picture \(anchor.image ?? "") cannot be used", code: "badScene")
      }
      made.radius = anchor.radius
      compiled.append(made)
    }
    progress(anchors.count, anchors.count)
    return (try write(compiled, as: entry, name), keys)
  }

  private func file(_ anchor: SceneAnchor, _ folder: SceneFolder, _ name: String) throws(SceneFailure) -> [UInt8] {
    let image = anchor.image ?? ""
    guard let path = folder.resolved(image), let bytes = try? WholeFile.read(path, limit: SceneLimits.pictureBytes)
    else {
      throw failure(name, [], "the picture \(image) is gone", code: "badScene")
    }
    return bytes
  }

  private func picture(_ file: [UInt8], _ anchor: SceneAnchor, _ name: String) throws(SceneFailure) -> GrayImage {
    do {
      let image = try isolation.gray(file)
      if let problem = SceneLimits.problem(width: image.width, height: image.height) {
        throw ImageError(.unsupportedVariant, problem.message, hint: problem.hint)
      }
      return image
    } catch {
      let reply = (error as? any Replyable)?.reply
      let why = reply.map { "\($0.message) (\($0.hint))" } ?? "\(error)"
      let image = anchor.image ?? ""
      throw failure(
        name, ["\(image): error: \(anchor.name): \(why)"], "the picture \(image) cannot be used", code: "badScene")
    }
  }

  private func write(
    _ anchors: [CompiledAnchor], as entry: String, _ name: String
  ) throws(SceneFailure) -> AnchorLibrary {
    do throws(AnchorError) {
      let bytes = try LibraryWriter.bytesWithTwins(of: anchors)
      do throws(AnchorError) {
        return try cache.keep(bytes, as: entry)
      } catch {
        // Without a writable cache, the library is a temporary file that is removed after it was opened.
        let temporary = FileManager.default.temporaryDirectory.appending(path: "waymark-\(UUID().uuidString).anchors")
          .path
        try LibraryWriter.write(bytes, to: temporary)
        defer { try? FileManager.default.removeItem(atPath: temporary) }
        return try AnchorLibrary(path: temporary)
      }
    } catch {
      throw failure(name, [error.message], "its anchors cannot be compiled", code: "badScene")
    }
  }

  private static func key(_ anchor: SceneAnchor, _ picture: [UInt8]) -> String {
    let round = anchor.radius.map { "\($0)\u{0}" } ?? ""
    return hash("\(anchor.name)\u{0}\(anchor.physicalWidth ?? 0)\u{0}\(round)".utf8) + hash(picture)
  }

  /// Returns the 64-bit FNV-1a hash (G. Fowler, L. C. Noll, K.-P. Vo), which distinguishes files but does not resist
  /// deliberate collisions.
  private static func hash(_ bytes: some Sequence<UInt8>) -> String {
    var value: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return value.digits(16, radix: 16)
  }
}

// MARK: - The cache

/// The cache folder of compiled anchors. Missing or damaged libraries are compiled again.
struct SceneCache: Sendable {
  private let folder: String
  /// The largest number of libraries in the cache. Each edit of a scene's pictures adds a library.
  private static let kept = 32

  init(folder: String) { self.folder = folder }

  /// True if only this user and root can write in the folder, so that its files can be trusted. In a shared `/tmp`, another user
  /// may have created the folder.
  private var isOurs: Bool {
    var information = stat()
    return lstat(folder, &information) == 0 && information.st_mode & S_IFMT == S_IFDIR
      && (information.st_uid == geteuid() || information.st_uid == 0) && information.st_mode & 0o022 == 0
  }

  private func path(_ name: String) -> String { "\(folder)/\(name).anchors" }

  /// Returns the library with this name; nil if it has to be compiled.
  ///
  /// - Parameter warn: receives a message if a damaged file was renamed.
  func library(_ name: String, warn: (String) -> Void) -> AnchorLibrary? {
    guard isOurs else { return nil }
    let path = path(name)
    do throws(AnchorError) {
      let library = try AnchorLibrary(path: path)
      try library.check()
      // Marks the library as used, because `tidy()` removes the libraries that were unused for longest.
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

  /// Removes the libraries that were unused for longest, and the temporary files of killed writers. An open library stays readable
  /// without its name.
  private func tidy() {
    let names = (try? Folder.names(folder)) ?? []
    for name in names where name.hasSuffix(".tmp") {
      // The name of a temporary file is NAME.anchors.PID.tmp.
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
