import NIOPosix
import WaymarkPeople
import WaymarkService

/// Hashes passcodes and writes users to the `AccountStore`, on the threads of `BlockingWork`.
struct AccountIO: Sendable {
  let store: AccountStore
  /// The cost of new hashes.
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
