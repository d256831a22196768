import Glibc

/// The system calls of the hardware key, so that tests can put a pipe in the device's place.
package struct InputSyscalls: Sendable {
  /// Opens a device for reading without waiting; negative: minus errno.
  package var open: @Sendable (String) -> Int32
  /// Waits for one of two descriptors; returns whether the first is readable, or nil when the second is.
  package var wait: @Sendable (_ device: Int32, _ stop: Int32, _ milliseconds: Int32) -> Wait
  /// Reads what is there: the bytes, or nil when the device is gone.
  package var read: @Sendable (Int32) -> [UInt8]?

  /// The reason why the waiting ended.
  package enum Wait: Sendable {
    case readable, stopped, timedOut
  }

  /// The real ones.
  package static let system = InputSyscalls(
    open: { path in
      let descriptor = Glibc.open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
      return descriptor >= 0 ? descriptor : -errno
    },
    wait: { device, stop, milliseconds in
      var descriptors = [
        pollfd(fd: stop, events: Int16(POLLIN), revents: 0), pollfd(fd: device, events: Int16(POLLIN), revents: 0),
      ]
      // A negative descriptor is skipped by poll(2).
      let count = poll(&descriptors, 2, milliseconds)
      if count > 0, descriptors[0].revents != 0 { return .stopped }
      return count > 0 && descriptors[1].revents != 0 ? .readable : .timedOut
    },
    read: { descriptor in
      var buffer = [UInt8](repeating: 0, count: 64 * KeyEventParser.recordSize)
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      if count > 0 { return Array(buffer[..<count]) }
      // ENODEV when it was unplugged; 0 at the end of a pipe.
      return count < 0 && (errno == EAGAIN || errno == EINTR) ? [] : nil
    })
}
