import CV4L2
import WaymarkImage
package import WaymarkSystem

/// The real calls, through libv4l2, which converts what no program could read otherwise.
package struct LibV4L2: VideoSyscalls {
  /// The calls of this process.
  package init() {}

  package func open(_ path: String, converting: Bool) -> CInt { wm_v4l2_open(path, converting ? 1 : 0) }

  package func close(_ descriptor: CInt) { _ = wm_v4l2_close(descriptor) }

  package func control(_ descriptor: CInt, _ request: UInt, _ argument: UnsafeMutableRawPointer) -> CInt {
    wm_v4l2_ioctl(descriptor, request, argument)
  }

  package func map(_ descriptor: CInt, length: Int, offset: Int64) -> UnsafeMutableRawPointer? {
    wm_v4l2_mmap(descriptor, length, offset)
  }

  package func unmap(_ memory: UnsafeMutableRawPointer, length: Int) { _ = wm_v4l2_munmap(memory, length) }

  package func wait(_ descriptor: CInt, stop: StopSignal, seconds: Double) -> StopSignal.Wake {
    stop.wait(for: descriptor, seconds: seconds)
  }

  package func now() -> Double { MonotonicClock.now }
}
