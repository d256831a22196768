import Glibc
import NIOPosix
package import WaymarkPeople
import WaymarkService
package import WaymarkSystem

/// The stored users: a private folder with a file for each. `AccountIO` below writes to the folder on other threads.
///
/// Files are replaced atomically (`DurableFile`). The folder is locked, so that a single service uses it.
package final class AccountStore: Sendable {
  /// The calls that change the disk, which tests replace.
  package struct Calls: Sendable {
    package var replace: @Sendable (String, [UInt8]) throws -> Void = { path, bytes in
      try DurableFile.replace(path, with: bytes)
    }
    package var remove: @Sendable (String) -> Int32? = { path in
      if unlink(path) != 0, errno != ENOENT { return errno }
      return DurableFile.synchronizeFolder(of: path)
    }

    package init() {}
  }

  /// The users that were stored when the store was opened.
  package let accounts: [Account]
  /// The id of the last user of the device.
  package let last: String?
  /// Warnings of damaged files for the log, without names of people.
  package let warnings: [String]
  /// The ids of users whose files were damaged, now or at an earlier start. Damaged files are set aside until the users are erased.
  package let damaged: Set<String>
  private let folder: String
  private let calls: Calls
  private let lock: FolderLock

  private static let lastName = "last"
  private static let ending = ".user"
  private static let damagedEnding = ".user.damaged"

  /// Opens the store in a folder, which is created if it is missing. Files that cannot be read are set aside.
  ///
  /// - Throws: `accountStore` if the folder cannot be created or locked, or another service uses it.
  package init(folder: String, calls: Calls = Calls()) throws(ServiceProblem) {
    self.folder = folder
    self.calls = calls
    do throws(FileError) {
      try Folder.make(folder)
      lock = try FolderLock(folder, isPrivate: true)
    } catch {
      throw Self.problem(folder, error.code == .inUse ? "another service uses it" : error.cause ?? error.message)
    }
    var accounts: [Account] = []
    var warnings: [String] = []
    var damaged: Set<String> = []
    for name in ((try? Folder.names(folder)) ?? []).sorted() {
      let path = folder + "/" + name
      // A file left half written by a crash may contain removed data.
      if name.hasSuffix(".new") {
        unlink(path)
        continue
      }
      if name.hasSuffix(Self.damagedEnding) { damaged.insert(String(name.dropLast(Self.damagedEnding.count))) }
      guard name.hasSuffix(Self.ending) else { continue }
      let id = String(name.dropLast(Self.ending.count))
      if let bytes = try? WholeFile.read(path, limit: AccountFile.limit, kind: .unlinked),
        let account = AccountFile.decode(bytes, id: id)
      {
        accounts.append(account)
      } else {
        damaged.insert(id)
        let aside = DurableFile.setAside(path)
        warnings.append(
          "\(path) is damaged\(aside.map { " and was set aside as \($0)" } ?? ""); its user has to be added again. account.remove with the user \(id) deletes what is left."
        )
      }
    }
    self.accounts = accounts
    self.warnings = warnings
    self.damaged = damaged.filter(AccountFile.isID)
    let bytes = try? WholeFile.read(folder + "/" + Self.lastName, limit: 64, kind: .unlinked)
    last = bytes.map { String(decoding: $0, as: UTF8.self) }.flatMap { AccountFile.isID($0) ? $0 : nil }
  }

  /// Stores a user in place of an earlier version.
  ///
  /// - Throws: `accountStore` if the id is invalid, or the file cannot be written.
  package func save(_ account: Account) throws(ServiceProblem) {
    guard AccountFile.isID(account.id) else { throw Self.problem(folder, systemMessage(EINVAL)) }
    do {
      try calls.replace(path(account.id), try AccountFile.encode(account))
    } catch {
      throw Self.problem(folder, (error as? FileError)?.cause ?? "\(error)")
    }
  }

  /// Removes all files of a user, including damaged ones.
  ///
  /// - Throws: `accountStore` if the id is invalid, or a file cannot be removed.
  package func erase(_ id: String) throws(ServiceProblem) {
    guard AccountFile.isID(id) else { throw Self.problem(folder, systemMessage(EINVAL)) }
    for path in [path(id) + ".new", path(id) + ".damaged", path(id)] {
      if let number = calls.remove(path) { throw Self.problem(folder, systemMessage(number)) }
    }
  }

  /// Stores the id of the last user. If that fails, the first user is offered at the next start.
  package func remember(_ id: String) {
    guard AccountFile.isID(id) else { return }
    try? calls.replace(folder + "/" + Self.lastName, Array(id.utf8))
  }

  private func path(_ id: String) -> String { "\(folder)/\(id)\(Self.ending)" }

  private static func problem(_ path: String, _ reason: String) -> ServiceProblem {
    ServiceProblem(
      code: "accountStore", message: "The folder of users \(path) cannot be used: \(reason).",
      hint: "Name a folder of this user's own as accounts.folder.")
  }
}

/// Hashes passcodes and writes users to the `AccountStore`, on the threads of `BlockingWork`.
struct AccountIO: Sendable {
  let store: AccountStore
  let cost: PasscodeHash.Cost

  /// Hashes a passcode; nil if that failed.
  func hash(_ passcode: Secret) async -> String? {
    let cost = cost
    return try? await BlockingWork.passcodes.runIfActive { try PasscodeHash(passcode, cost: cost).text }
  }

  /// Compares a passcode, and hashes it again if the stored hash has another cost.
  func check(_ passcode: Secret, against text: String) async -> PasscodeCheck {
    let cost = cost
    let check = try? await BlockingWork.passcodes.runIfActive { () throws -> PasscodeCheck in
      guard let hash = PasscodeHash(text: text) else { return .failed }
      guard try hash.matches(passcode) else { return .wrong }
      return .right(rehashed: hash.cost == cost ? nil : try? PasscodeHash(passcode, cost: cost).text)
    }
    return check ?? .failed
  }

  func save(_ account: Account) async throws {
    let store = store
    try await BlockingWork.accounts.runIfActive { try store.save(account) }
  }

  func erase(_ id: String) async throws {
    let store = store
    try await BlockingWork.accounts.runIfActive { try store.erase(id) }
  }

  func remember(_ id: String) async {
    let store = store
    try? await BlockingWork.accounts.runIfActive { store.remember(id) }
  }
}
