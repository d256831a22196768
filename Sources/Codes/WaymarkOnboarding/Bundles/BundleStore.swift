import Glibc
import WaymarkSystem

/// The unpacked bundles of a device: `current/NAME` links to the release in use and is replaced atomically.
///
/// ```
/// FOLDER/current/NAME -> ../releases/NAME-12
/// FOLDER/releases/NAME-12/…
/// FOLDER/state/NAME.json
/// ```
package struct BundleStore: Sendable {
  /// The state of the bundles of one name.
  package struct State: Hashable, Sendable {
    /// The highest version with which the service has started.
    package var highest = 0
    /// The version of the release in use; nil without one.
    package var current: Int?
    /// The version of the release that was in use before; nil without one.
    package var previous: Int?
    /// The version of the release with which the service is being started; nil unless a release is being tried.
    package var pending: Int?
  }

  /// The result of applying a bundle: `alreadyThere` if the release in use has its version.
  package enum Outcome: Hashable, Sendable {
    case applied
    case alreadyThere
  }

  private let folder: String

  package init(folder: String) { self.folder = folder }

  /// Reads the state of the bundles of a name. Without an installed bundle, `highest` is 0 and all other versions are nil.
  ///
  /// - Throws: `cannotOpen` if the file of the state cannot be read or is damaged.
  package func state(of name: String) throws(BundleError) -> State {
    let path = statePath(name)
    let bytes: [UInt8]
    do throws(FileError) {
      bytes = try WholeFile.read(path, limit: 1 << 16)
    } catch {
      if error.code == .notFound { return State() }
      throw BundleError(.cannotOpen, error.message, hint: error.hint)
    }
    guard let value = try? JSONParser.parse(bytes), let highest = value["highest"]?.int else {
      throw BundleError(
        .cannotOpen, "\(path) is damaged",
        hint: "Write {\"highest\":N} into it: the newest version that this device has had.")
    }
    return State(
      highest: highest, current: value["current"]?.int, previous: value["previous"]?.int, pending: value["pending"]?.int
    )
  }

  /// The names of the bundles, sorted.
  package var names: [String] {
    ((try? Folder.names("\(folder)/state")) ?? []).filter { $0.hasSuffix(".json") }.map { String($0.dropLast(5)) }
      .sorted()
  }

  /// Replaces the release in use by the release in a bundle.
  ///
  /// - Parameter activate: restarts the service; returns nil, or the reason for its failure to start. In that case the previous
  ///   release is restored, and `activate` is called again.
  /// - Throws: `oldVersion` for a version that is not higher than the highest so far, `notReady` if the service does not start,
  ///   `cannotOpen` if the store is in use or cannot be written, and the errors of reading the bundle.
  package func apply(
    _ bundle: BundleReader, activate: () async -> String?
  ) async throws(BundleError) -> Outcome {
    let lock = try hold()
    defer { withExtendedLifetime(lock) {} }
    let (name, version) = (bundle.manifest.name, bundle.manifest.version)
    var state = try state(of: name)
    if state.pending != nil {
      // Power was lost while a release was tried.
      try point(name, to: state.current)
      state.pending = nil
      try write(state, name)
    }
    sweep(name, keeping: state)
    guard version > state.highest else {
      if version == state.current { return .alreadyThere }
      throw BundleError(
        .oldVersion, "\(name) \(version) is not newer than \(state.highest), which this device has had",
        hint: "To go back, make a bundle of the old files with a higher version.")
    }
    try unpack(bundle, as: release(name, version))
    state.pending = version
    try write(state, name)
    try point(name, to: version)
    if let problem = await activate() {
      try point(name, to: state.current)
      state.pending = nil
      try write(state, name)
      remove(release(name, version))
      let again = await activate()
      throw BundleError(
        .notReady, "The service does not start with \(name) \(version): \(problem)",
        hint: again.map {
          "The previous bundle was restored, but the service does not start with it either: \($0)"
        }
          ?? state.current.map { "\(name) \($0) is in use again." } ?? "No bundle is in use, as before.")
    }
    let old = state.previous
    state = State(highest: version, current: version, previous: state.current)
    try write(state, name)
    if let old { remove(release(name, old)) }
    return .applied
  }

  /// Makes the folders of the store, and locks the store.
  private func hold() throws(BundleError) -> FolderLock {
    do throws(FileError) {
      for part in ["", "/releases", "/current", "/state"] {
        // The service runs as another user, so the mode must not depend on the umask.
        try Folder.make(folder + part, mode: 0o755, isExact: true, withParents: false)
      }
      return try FolderLock(folder)
    } catch {
      throw error.code == .inUse
        ? BundleError(
          .cannotOpen, "Another bundle is being applied in \(folder)", hint: "Try again when it is done.")
        : BundleError(.cannotOpen, error.message, hint: error.hint, cause: error.cause)
    }
  }

  /// Removes the leftovers of a process that was killed: an incomplete release, and releases that no state names.
  private func sweep(_ name: String, keeping state: State) {
    let releases = "\(folder)/releases"
    remove("\(releases)/.new")
    let kept = [state.current, state.previous].compactMap { $0.map { "\(name)-\($0)" } }
    for entry in (try? Folder.names(releases)) ?? [] where entry.hasPrefix(name + "-") && !kept.contains(entry) {
      // The name of another bundle may begin with `name` and a hyphen, so only digits may follow.
      let number = entry.dropFirst(name.count + 1).utf8
      if !number.isEmpty, number.allSatisfy(\.isASCIIDigit) { remove("\(releases)/\(entry)") }
    }
  }

  private func release(_ name: String, _ version: Int) -> String { "\(folder)/releases/\(name)-\(version)" }
  private func statePath(_ name: String) -> String { "\(folder)/state/\(name).json" }

  private func write(_ state: State, _ name: String) throws(BundleError) {
    var members: [JSONValue.Member] = [.init("highest", .int(state.highest))]
    for (name, value) in [("current", state.current), ("previous", state.previous), ("pending", state.pending)] {
      if let value { members.append(.init(name, .int(value))) }
    }
    let bytes = (try? JSONLineEncoder.line(JSONValue.object(members))) ?? []
    do throws(FileError) {
      try DurableFile.replace(statePath(name), with: bytes, mode: 0o644)
    } catch {
      throw BundleError(.cannotOpen, error.message, hint: error.hint)
    }
  }

  /// Links `current/NAME` to a release, atomically; removes the link for nil.
  private func point(_ name: String, to version: Int?) throws(BundleError) {
    let (link, fresh) = ("\(folder)/current/\(name)", "\(folder)/current/.\(name).new")
    unlink(fresh)
    if let version {
      guard symlink("../releases/\(name)-\(version)", fresh) == 0, rename(fresh, link) == 0 else {
        throw .file(link, cannotBe: "written", number: errno)
      }
    } else if unlink(link) != 0, errno != ENOENT {
      throw .file(link, cannotBe: "removed", number: errno)
    }
    _ = DurableFile.synchronizeFolder(of: link)
  }

  /// Writes the files of a release under a temporary name, and renames their folder once all are verified and flushed.
  private func unpack(_ bundle: BundleReader, as place: String) throws(BundleError) {
    let work = "\(folder)/releases/.new"
    remove(work)
    remove(place)
    guard mkdir(work, 0o755) == 0 else { throw .file(work, cannotBe: "made", number: errno) }
    var descriptor: Int32 = -1
    func finish() throws(BundleError) {
      guard descriptor >= 0 else { return }
      let number = fsync(descriptor) == 0 ? 0 : errno
      close(descriptor)
      descriptor = -1
      if number != 0 { throw .file(work, cannotBe: "written", number: number) }
    }
    do throws(BundleError) {
      try bundle.readFiles { (file) throws(BundleError) in
        try finish()
        var path = work
        for part in file.path.split(separator: "/").dropLast() {
          path += "/\(part)"
          if mkdir(path, 0o755) != 0, errno != EEXIST { throw .file(path, cannotBe: "made", number: errno) }
        }
        path = "\(work)/\(file.path)"
        descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o644)
        guard descriptor >= 0 else { throw .file(path, cannotBe: "written", number: errno) }
        // The service runs as another user, so the mode must not depend on the umask.
        fchmod(descriptor, 0o644)
      } take: { (bytes) throws(BundleError) in
        if let number = DurableFile.writeAll(descriptor, bytes) {
          throw .file(work, cannotBe: "written", number: number)
        }
      }
      try finish()
      openFolders(work)
      guard rename(work, place) == 0 else { throw .file(place, cannotBe: "written", number: errno) }
      _ = DurableFile.synchronizeFolder(of: place)
    } catch {
      if descriptor >= 0 { close(descriptor) }
      remove(work)
      throw error
    }
  }

  /// Makes folders accessible to all users, and flushes them.
  private func openFolders(_ path: String) {
    chmod(path, 0o755)
    for name in (try? Folder.names(path)) ?? [] where FileKind("\(path)/\(name)") == .folder {
      openFolders("\(path)/\(name)")
    }
    _ = DurableFile.synchronizeFolder(of: path + "/.")
  }

  /// Removes a folder with its content. Links are removed, not followed.
  private func remove(_ path: String) {
    if unlink(path) == 0 || errno == ENOENT { return }
    for name in (try? Folder.names(path)) ?? [] { remove("\(path)/\(name)") }
    rmdir(path)
  }
}
