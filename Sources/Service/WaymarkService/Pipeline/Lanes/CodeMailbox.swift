package import WaymarkBarcodes
package import WaymarkFrames
import WaymarkSystem

/// Hands the readings of the barcode lane to the code lane: the newest one that was not taken yet.
package final class CodeMailbox: Sendable {
  private struct State: Sendable {
    var isOpen = false
    var newest: (symbols: [Symbol], frame: Frame)?
  }

  private let state = Monitor(State())

  package init() {}

  /// Returns whether a consumer takes what is put in; closing drops the content.
  package func setOpen(_ isOpen: Bool) {
    state.withLock { $0 = State(isOpen: isOpen) }
  }

  /// Puts in what was read in a frame.
  package func put(_ symbols: [Symbol], _ frame: Frame) {
    state.withLock { if $0.isOpen, !symbols.isEmpty { $0.newest = (symbols, frame) } }
  }

  func take() -> (symbols: [Symbol], frame: Frame)? {
    state.withLock { state in
      defer { state.newest = nil }
      return state.newest
    }
  }
}
