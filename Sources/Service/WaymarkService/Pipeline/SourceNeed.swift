/// Decides when the source is open: as soon as a consumer needs frames, until some time after none does.
///
/// A value without a clock: it is told the time and tells when it wants to be asked again.
package struct SourceNeed: Sendable, Equatable {
  /// An order to the source.
  package enum Effect: Sendable, Equatable {
    case open
    case close
  }

  /// Never closed once it was opened, and opened from the start.
  package let keepsOpen: Bool
  /// How long it stays open without need, in seconds.
  package let idleTime: Double
  /// True if the source is to be open.
  package private(set) var isOpen = false
  /// When the source is to be closed unless it is needed before; seconds.
  package private(set) var deadline: Double?
  private var needed = false

  /// Closed.
  package init(keepsOpen: Bool = false, idleTime: Double = 10) {
    self.keepsOpen = keepsOpen
    self.idleTime = max(0, idleTime)
  }

  /// A change of the need.
  package enum Input: Sendable, Equatable {
    /// Frames are needed, or not.
    case needed(Bool)
    /// Time has passed.
    case time
  }

  /// Takes in what happened at `now` (seconds of any steady clock).
  package mutating func handle(_ input: Input, at now: Double) -> Effect? {
    if case .needed(let value) = input {
      if value {
        deadline = nil
      } else if needed && isOpen && !keepsOpen {
        deadline = now + idleTime
      }
      needed = value
    }
    if (needed || keepsOpen) && !isOpen {
      isOpen = true
      return .open
    }
    if let deadline, now >= deadline {
      self.deadline = nil
      isOpen = false
      return .close
    }
    return nil
  }
}
