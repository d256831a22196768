import WaymarkAnchors
import WaymarkBarcodes
import WaymarkFrames
import WaymarkImage
import WaymarkServer
import WaymarkService
import WaymarkSystem

/// Counts on the thread that follows codes: laying a view over what is known may take longer than other clients should wait.
final class CountDesk: CodeTap {
  /// The count when a frame had been looked at.
  struct Tally: Sendable {
    /// Which count it is of: what was still under way when a count was emptied is of the one before.
    var run: Int
    var copies: [FollowedCounter.Copies] = []
    var views = 0
    var stretches = 0
    var isFull = false
    /// The numbers of codes in the frame that count.
    var counted: Set<Int> = []

    /// Returns whether two say the same to who reads the list.
    func isAlike(_ other: Tally) -> Bool {
      copies == other.copies && stretches == other.stretches && isFull == other.isFull
    }
  }

  private struct State {
    var run = 0
    var counter: FollowedCounter?
    /// The content of each followed code, by its number.
    var contents: [Int: (content: CodeContent, isMatrix: Bool)] = [:]
    var generation: Int?
  }

  private let state = Monitor(State())
  /// Called with what was counted by the end of each frame.
  private let onTally: @ServiceActor @Sendable (Tally) -> Void

  /// A desk where nothing is counted.
  init(onTally: @escaping @ServiceActor @Sendable (Tally) -> Void) { self.onTally = onTally }

  /// Counts from nothing.
  ///
  /// - Returns: the number of the count.
  func begin() -> Int {
    state.withLock { state in
      state.counter = FollowedCounter()
      state.run += 1
      return state.run
    }
  }

  /// Counts no more.
  func end() { state.withLock { $0.counter = nil } }

  func take(_ reading: CodeReading, width: Int, height: Int, frame: Int) -> TappedCodes? {
    let tally = counted(reading, width: width, height: height, frame: frame)
    return tally.map { [onTally] tally in TappedCodes(counted: tally.counted) { onTally(tally) } }
  }

  private func counted(_ reading: CodeReading, width: Int, height: Int, frame: Int) -> Tally? {
    state.withLock { state in
      if state.generation != reading.generation {
        state.generation = reading.generation
        for number in state.contents.keys { state.counter?.lost(number) }
        state.contents = [:]
      }
      for number in reading.report.found {
        guard let symbol = reading.found[number] else { continue }
        state.contents[number] = (
          CodeContent(symbology: symbol.symbology.rawValue, text: symbol.text), symbol.symbology.isMatrix
        )
      }
      for lost in reading.report.lost {
        state.contents[lost.id] = nil
        state.counter?.lost(lost.id)
      }
      guard state.counter != nil else { return nil }
      let codes = reading.report.observations.compactMap { seen -> FollowedSighting? in
        guard seen.trackingMethod == .fullTracking, let said = state.contents[seen.id] else { return nil }
        return FollowedSighting(number: seen.id, content: said.content, quad: seen.corners, isMatrix: said.isMatrix)
      }
      state.counter?.look(FollowedView(width: Double(width), height: Double(height), frame: frame, codes: codes))
      guard let counter = state.counter else { return nil }
      return Tally(
        run: state.run, copies: counter.result, views: counter.views, stretches: counter.stretches,
        isFull: counter.isFull, counted: Set(codes.lazy.map(\.number).filter(counter.counts)))
    }
  }
}
