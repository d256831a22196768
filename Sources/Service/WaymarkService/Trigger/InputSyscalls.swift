import Glibc
package import WaymarkSystem

/// The system calls of the hardware key, so that tests can put a pipe in the device's place.
package struct InputSyscalls: Sendable {
  /// Opens a device for reading without waiting; negative: minus errno.
  package var open: @Sendable (String) -> Int32
  /// Waits until the device is readable, the thread is to end, or that many seconds have passed.
  package var wait: @Sendable (_ device: Int32, _ stop: StopSignal, _ seconds: Double?) -> StopSignal.Wake
  /// Reads what is there: the bytes, or nil when the device is gone.
  package var read: @Sendable (Int32) -> [UInt8]?

  /// The real ones.
  package static let system = InputSyscalls(
    open: { path in
      let descriptor = Glibc.open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
      return descriptor >= 0 ? descriptor : -errno
    },
    wait: { device, stop, seconds in stop.wait(for: device, seconds: seconds) },
    read: { descriptor in
      var buffer = [UInt8](repeating: 0, count: 64 * KeyEventParser.recordSize)
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      if count > 0 { return Array(buffer[..<count]) }
      // ENODEV when it was unplugged; 0 at the end of a pipe.
      return count < 0 && (errno == EAGAIN || errno == EINTR) ? [] : nil
    })
}
