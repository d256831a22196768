package import WaymarkFrames
import WaymarkSystem

/// Hands pictures to those who watch: each gets the newest when it is ready for another, at its own rate and width; a
/// picture is encoded once for all who want the same. Works on a lane of its own, and only while somebody watches.
package final class MediaTap: Sendable {
  private typealias Watchers = Monitor<[ObjectIdentifier: MediaSubscription]>

  /// The lane that the pipeline feeds.
  package let lane: any FrameLane
  private let mediaLane: Lane<Bool, Bool>
  private let watchers: Watchers

  /// A tap that nobody watches.
  ///
  /// - Parameter makeDecoder: makes what decodes compressed pictures, on the lane's thread; without, they are decoded on that thread.
  package init(makeDecoder: @escaping MakeFrameDecoder = { nil }) {
    let watchers = Watchers([:])
    self.watchers = watchers
    mediaLane = Lane(
      name: "media", settings: true, wantsEncoded: true,
      makeWork: {
        let work = MediaProcessor(decoder: makeDecoder()) { watchers.withLock { Array($0.values) } }
        return { frame, _ in work.serve(frame) }
      }, deliver: { _, _ in })
    lane = mediaLane
  }

  /// Begins to watch.
  ///
  /// - Parameters:
  ///   - width: the width that is enough, in pixels; nil: as captured.
  ///   - rate: at most so many pictures a second; nil: all.
  ///   - deliver: receives a picture, on the lane's thread; the next one comes after `MediaSubscription.ready()`.
  /// - Returns: the watch, to be kept and to be cancelled. The first picture comes without `ready()`.
  package func watch(
    width: Int? = nil, rate: Double? = nil, deliver: @escaping @Sendable (MediaPicture) -> Void
  ) -> MediaSubscription {
    let watch = MediaSubscription(width: width, rate: rate, deliver: deliver) { [weak self] watch in self?.remove(watch)
    }
    watchers.withLock { $0[ObjectIdentifier(watch)] = watch }
    review()
    return watch
  }

  /// How many watch.
  package var count: Int { watchers.withLock { $0.count } }

  private func remove(_ watch: MediaSubscription) {
    _ = watchers.withLock { $0.removeValue(forKey: ObjectIdentifier(watch)) }
    review()
  }

  /// Wants frames as fast as the fastest watcher, or none.
  private func review() {
    let rates = watchers.withLock { $0.values.map(\.rate) }
    mediaLane.setMaximumRate(rates.contains { $0 == nil } ? nil : rates.compactMap { $0 }.max())
    mediaLane.setEnabled(!rates.isEmpty)
  }
}

/// A subscriber of the preview.
package final class MediaSubscription: Sendable {
  private struct State: Sendable {
    var ready = true
    var cancelled = false
    var pacer = FramePacer()
  }

  let width: Int?
  let rate: Double?
  private let deliver: @Sendable (MediaPicture) -> Void
  private let remove: @Sendable (MediaSubscription) -> Void
  private let state = Monitor(State())

  fileprivate init(
    width: Int?, rate: Double?, deliver: @escaping @Sendable (MediaPicture) -> Void,
    remove: @escaping @Sendable (MediaSubscription) -> Void
  ) {
    self.width = width
    self.rate = rate
    self.deliver = deliver
    self.remove = remove
  }

  /// Another picture may come: the last one has been sent.
  package func ready() { state.withLock { $0.ready = true } }

  /// Watches no more. A picture that is being made may still come.
  package func cancel() {
    let first = state.withLock { state in
      defer { state.cancelled = true }
      return !state.cancelled
    }
    if first { remove(self) }
  }

  /// Returns whether it takes the frame captured at `time`; from then on it is not ready until it says so.
  fileprivate func takes(_ time: Double) -> Bool {
    state.withLock { state in
      guard state.ready, !state.cancelled, state.pacer.takes(time, rate: rate) else { return false }
      state.ready = false
      return true
    }
  }

  fileprivate func hand(_ picture: MediaPicture?) {
    // Nothing could be made of that frame: it stays ready for the next.
    if let picture { deliver(picture) } else { ready() }
  }
}

/// The media lane's work on a frame; lives on the lane's thread.
private final class MediaProcessor {
  private var encoder: MediaEncoder
  private let watchers: () -> [MediaSubscription]

  init(decoder: (any FrameDecoder)?, watchers: @escaping () -> [MediaSubscription]) {
    encoder = MediaEncoder(outOfProcess: decoder)
    self.watchers = watchers
  }

  func serve(_ frame: Frame) -> Bool {
    let taking = watchers().filter { $0.takes(frame.captured) }
    // Those who get the same file are those for whom the picture becomes equally much smaller.
    let groups = Dictionary(grouping: taking) { MediaEncoder.factor(from: frame.width, to: $0.width) }
    for (_, group) in groups {
      let picture = encoder.encode(frame, wanted: group[0].width)
      for watch in group { watch.hand(picture) }
    }
    return !taking.isEmpty
  }
}
