import Synchronization

/// Holds the guard, which is known only once the port is; refuses everybody before.
final class AccessGate: Sendable {
  private let access = Mutex<AccessGuard?>(nil)

  /// Lets requests through to the guard.
  func open(_ access: AccessGuard) { self.access.withLock { $0 = access } }

  /// Decides on a request.
  func decide(_ claims: AccessGuard.Claims) -> AccessGuard.Decision {
    access.withLock { $0 }?.decide(claims) ?? .refused(.foreignHost)
  }
}
