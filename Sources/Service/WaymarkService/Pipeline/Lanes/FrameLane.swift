package import WaymarkFrames
package import WaymarkImage

/// The pipeline's interface to a lane.
package protocol FrameLane: AnyObject, Sendable {
  /// A short name for statistics and the thread: `barcode`, `anchors`.
  var name: String { get }
  /// True if the lane wants frames now.
  var isEnabled: Bool { get }
  /// At most so many frames a second are wanted; nil: all.
  var maximumRate: Double? { get }
  /// True if it uses pictures as they were captured.
  var wantsEncoded: Bool { get }
  /// True if it reads their luma.
  var wantsLuma: Bool { get }
  /// The counts and times of its work.
  var statistics: LaneTimes { get }

  /// Puts a frame into the slot; one that is still there was skipped. Never waits for the lane's work.
  func offer(_ frame: Frame)
  /// How long the lane has been busy with one frame, in seconds; 0 when it waits for one.
  func busy(at now: Double) -> Double
  /// Whom to tell when `isEnabled` or `maximumRate` changes.
  func onDemandChange(_ handler: (@Sendable () -> Void)?)
  /// Asks the lane's thread to end; does not wait for it.
  func askToStop()
  /// Ends the lane's thread; returns when it is over.
  func stop()
}

/// The counts and times of a lane since it was made.
package struct LaneTimes: Sendable, Equatable {
  /// Frames computed.
  package var processed: UInt64 = 0
  /// Frames that were replaced by a newer one before the lane had time for them.
  package var skipped: UInt64 = 0
  /// Half of the recent frames took less than this, in seconds; nil before the first.
  package var median: Double?
  /// All but one in a hundred of the recent frames took less than this, in seconds; nil before the first.
  package var percentile99: Double?
  /// Where the time went: from the capture to the lane, in the lane's own stages, in handing over, and in all.
  package var stages: [StageTimes.Summary] = []

  /// Nothing done yet.
  package init() {}
}
