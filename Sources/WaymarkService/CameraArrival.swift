import NIOPosix

/// Takes a camera up that is plugged in while something else stands in for one.
@ServiceActor
final class CameraArrival {
  private let interval: Double
  private let isThere: @Sendable () -> Bool
  private let isWanted: @ServiceActor () -> Bool
  private let take: @ServiceActor () -> Void

  /// - Parameters:
  ///   - interval: how often it is looked, in seconds.
  ///   - isThere: whether there is a camera; may block.
  ///   - isWanted: whether something still stands in for one; the watch ends when not.
  ///   - take: called once, when there is.
  init(
    interval: Double = 1, isThere: @escaping @Sendable () -> Bool, isWanted: @escaping @ServiceActor () -> Bool,
    take: @escaping @ServiceActor () -> Void
  ) {
    self.interval = interval
    self.isThere = isThere
    self.isWanted = isWanted
    self.take = take
  }

  /// Looks until there is one.
  func watch() {
    ServiceActor.schedule(after: interval) { [weak self] in
      guard let self, self.isWanted() else { return }
      let isThere = self.isThere
      Task { @ServiceActor [weak self] in
        let found = (try? await NIOThreadPool.singleton.runIfActive { isThere() }) ?? false
        guard let self, self.isWanted() else { return }
        if found { self.take() } else { self.watch() }
      }
    }
  }
}
