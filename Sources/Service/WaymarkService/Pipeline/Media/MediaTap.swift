package import WaymarkFrames
import WaymarkSystem

/// Delivers pictures to subscribers, each at its own rate and width: a subscriber receives the newest picture when it is ready for
/// one. A picture is encoded once for all subscribers with the same reduction. The tap has its own lane, which is off without
/// subscribers.
package final class MediaTap: Sendable {
  private typealias Watchers = Monitor<[ObjectIdentifier: MediaSubscription]>

  package let lane: Lane<Bool, Bool>
  private let watchers: Watchers

  /// Creates a tap without subscribers.
  ///
  /// - Parameter makeDecoder: creates the decoder for compressed pictures, on the lane's thread; if it returns nil, they are decoded
  ///   on that thread.
  package init(makeDecoder: @escaping MakeFrameDecoder = { nil }) {
    let watchers = Watchers([:])
    self.watchers = watchers
    lane = Lane(
      name: "media", settings: true, wantsEncoded: true,
      makeWork: {
        let work = MediaProcessor(decoder: makeDecoder()) { watchers.withLock { Array($0.values) } }
        return { frame, _ in work.serve(frame) }
      }, deliver: { _, _ in })
  }

  /// Adds a subscriber.
  ///
  /// - Parameters:
  ///   - width: the width that the subscriber needs, in pixels; nil for the full width.
  ///   - rate: the maximum number of pictures per second; nil for all.
  ///   - deliver: receives a picture, on the lane's thread; called again only after `MediaSubscription.ready()`.
  /// - Returns: the subscription, which the caller keeps and cancels. The first picture is delivered without `ready()`.
  package func watch(
    width: Int? = nil, rate: Double? = nil, deliver: @escaping @Sendable (MediaPicture) -> Void
  ) -> MediaSubscription {
    let watch = MediaSubscription(width: width, rate: rate, deliver: deliver) { [weak self] watch in self?.remove(watch)
    }
    watchers.withLock { $0[ObjectIdentifier(watch)] = watch }
    review()
    return watch
  }

  package var count: Int { watchers.withLock { $0.count } }

  private func remove(_ watch: MediaSubscription) {
    _ = watchers.withLock { $0.removeValue(forKey: ObjectIdentifier(watch)) }
    review()
  }

  /// Sets the rate of the lane to that of the fastest subscriber, and switches it off without subscribers.
  private func review() {
    let rates = watchers.withLock { $0.values.map(\.rate) }
    lane.setMaximumRate(rates.contains { $0 == nil } ? nil : rates.compactMap { $0 }.max())
    lane.setEnabled(!rates.isEmpty)
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

  /// Requests the next picture, after the last one has been sent.
  package func ready() { state.withLock { $0.ready = true } }

  /// Ends the subscription. A picture that is being encoded may still be delivered.
  package func cancel() {
    let first = state.withLock { state in
      defer { state.cancelled = true }
      return !state.cancelled
    }
    if first { remove(self) }
  }

  /// Returns whether the subscriber takes the frame captured at `time`. If so, it takes no further frame before `ready()`.
  fileprivate func takes(_ time: Double) -> Bool {
    state.withLock { state in
      guard state.ready, !state.cancelled, state.pacer.takes(time, rate: rate) else { return false }
      state.ready = false
      return true
    }
  }

  fileprivate func hand(_ picture: MediaPicture?) {
    // If the frame could not be encoded, the subscriber is ready for the next one.
    if let picture { deliver(picture) } else { ready() }
  }
}

/// The lane's work on frames. Used only on the lane's thread.
private final class MediaProcessor {
  private var encoder: MediaEncoder
  private let watchers: () -> [MediaSubscription]

  init(decoder: (any FrameDecoder)?, watchers: @escaping () -> [MediaSubscription]) {
    encoder = MediaEncoder(outOfProcess: decoder)
    self.watchers = watchers
  }

  func serve(_ frame: Frame) -> Bool {
    let taking = watchers().filter { $0.takes(frame.captured) }
    // Subscribers with the same reduction receive the same file.
    let groups = Dictionary(grouping: taking) { MediaEncoder.factor(from: frame.width, to: $0.width) }
    for (_, group) in groups {
      let picture = encoder.encode(frame, wanted: group[0].width)
      for watch in group { watch.hand(picture) }
    }
    return !taking.isEmpty
  }
}
