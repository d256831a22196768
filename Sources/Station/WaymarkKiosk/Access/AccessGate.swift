import Synchronization

/// Holds the guard, which is known only once the port is, and the code that opens the page next; refuses everybody before.
final class AccessGate: Sendable {
  private struct State {
    var access: AccessGuard?
    var code = LaunchCode()
    /// Told of the code that holds from now on.
    var onCode: @Sendable (String) -> Void = { _ in }
  }

  private let state = Mutex(State())

  /// Lets requests through to the guard.
  ///
  /// - Parameter onCode: called with the code that opens the page, now and whenever it has been used.
  func open(_ access: AccessGuard, onCode: @escaping @Sendable (String) -> Void = { _ in }) {
    let code = state.withLock { state in
      (state.access, state.onCode) = (access, onCode)
      return state.code.value
    }
    onCode(code)
  }

  /// The code that opens the page next.
  var code: String { state.withLock { $0.code.value } }

  /// The name of the page's cookie.
  var cookieName: String { state.withLock { $0.access?.cookieName } ?? "" }

  /// Decides on a request.
  func decide(_ claims: AccessGuard.Claims) -> AccessGuard.Decision {
    let (decision, news) = state.withLock { state -> (AccessGuard.Decision, (String, @Sendable (String) -> Void)?) in
      guard let access = state.access else { return (.refused(.foreignHost), nil) }
      var decision = access.decide(claims)
      guard case .offer(let code, let secure) = decision else { return (decision, nil) }
      // A browser that was let in before may come by its old address again.
      guard state.code.use(code) else { return (access.isKnown(claims) ? .home : .refused(.noToken), nil) }
      decision = .trade(cookie: access.newCookie(for: claims), secure: secure)
      return (decision, (state.code.value, state.onCode))
    }
    if let (code, onCode) = news { onCode(code) }
    return decision
  }
}
