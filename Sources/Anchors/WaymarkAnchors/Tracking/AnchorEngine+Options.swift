extension AnchorEngine {
  /// The settings.
  public struct Options: Hashable, Sendable {
    /// The least time between two searches of the whole frame while something is followed, in seconds.
    public var searchInterval = 0.5
    /// The same while an anchor has just been lost and others are still followed, in seconds.
    public var initialSearchInterval = 0.1
    /// For how long an anchor that was lost is looked for near its last place, in seconds.
    public var retentionTime = 0.5
    /// For how long an anchor must be seen before it counts as found, in seconds.
    public var foundAfter = 0.05
    /// For how long it must be away before it counts as lost, in seconds.
    public var lostAfter = 0.5
    /// The most anchors followed at once; more are not searched for.
    public var maximumAnchors = 32
    /// How many copies of each anchor are followed.
    public var copies = AnchorCopies()

    /// The usual settings.
    public init() {}
  }
}
