package import WaymarkFrames

/// A control as the driver knows it, beside what users see.
package struct VideoControl: Sendable, Equatable {
  /// V4L2_CID_…
  package var id: UInt32
  /// The control as users see it.
  package var shown: SourceControl
  /// The driver's values of a control that users see as a plain switch.
  var switchValues: SwitchValues?

  /// The driver's values for off and on.
  package struct SwitchValues: Sendable, Equatable {
    /// Value for 0.
    package var off: Int
    /// Value for 1.
    package var on: Int
  }

  /// The driver's value for what a user set.
  func driverValue(_ value: Int) -> Int {
    switchValues.map { value == 0 ? $0.off : $0.on } ?? value
  }
}
