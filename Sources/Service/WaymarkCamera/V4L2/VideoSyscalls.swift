import WaymarkImage
package import WaymarkSystem

/// Every call that leaves the process for a camera, in one place: the real table goes through libv4l2, tests script it.
package protocol VideoSyscalls: Sendable {
  /// Opens a node for reading and writing, without blocking. A descriptor, or a negative errno.
  ///
  /// - Parameter converting: whether to offer what can be made of the camera's own formats.
  func open(_ path: String, converting: Bool) -> CInt
  /// Closes it.
  func close(_ descriptor: CInt)
  /// One request; `argument` is the request's struct. 0 or more, or a negative errno.
  func control(_ descriptor: CInt, _ request: UInt, _ argument: UnsafeMutableRawPointer) -> CInt
  /// Maps a buffer into memory; nil when it cannot be.
  func map(_ descriptor: CInt, length: Int, offset: Int64) -> UnsafeMutableRawPointer?
  /// Undoes `map`.
  func unmap(_ memory: UnsafeMutableRawPointer, length: Int)
  /// Waits until a frame is there (on no descriptor with -1), for the end to be asked for, or for the time to pass.
  func wait(_ descriptor: CInt, stop: StopSignal, seconds: Double) -> StopSignal.Wake
  /// Seconds of CLOCK_MONOTONIC.
  func now() -> Double
}
