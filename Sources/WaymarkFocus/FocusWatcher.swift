import Foundation
import Glibc
import WaymarkSystem

/// Follows a desktop's focus on a thread of its own, and again when the desktop went away and came back.
package final class FocusWatcher: Sendable {
  private let desktop: Desktop
  private let xprop: String
  private let patience: Double
  private let onFocus: @Sendable (String?) -> Void
  private let onProblem: @Sendable (FocusError) -> Void
  private let thread = WorkerThread(name: "wm-focus")

  /// - Parameters:
  ///   - xprop: the program that asks an X server.
  ///   - patience: how long it may take to tell of a window, in seconds.
  ///   - onFocus: told the program that has the focus, nil for none, whenever it may be another.
  ///   - onProblem: told why nothing can be told; it is tried again.
  package init(
    _ desktop: Desktop, xprop: String = "xprop", patience: Double = 2,
    onFocus: @escaping @Sendable (String?) -> Void,
    onProblem: @escaping @Sendable (FocusError) -> Void
  ) {
    self.desktop = desktop
    self.xprop = xprop
    self.patience = patience
    self.onFocus = onFocus
    self.onProblem = onProblem
  }

  /// Begins.
  ///
  /// - Parameter onEnd: called when standard input has ended: nothing more is told then.
  package func start(onEnd: @escaping @Sendable () -> Void) {
    thread.start { stop in
      var backoff = Backoff(first: 0.2, longest: 10)
      while !stop.isRaised {
        do throws(FocusError) {
          switch self.desktop {
          case .sway(let path): try self.followSway(path, stop) { backoff.reset() }
          case .x11: try self.followX11(stop) { backoff.reset() }
          case .lines:
            try Self.lines(of: STDIN_FILENO, stop) { self.onFocus($0.isEmpty ? nil : $0) }
            return onEnd()
          }
        } catch {
          self.onProblem(error)
        }
        self.onFocus(nil)
        _ = stop.wait(seconds: backoff.next())
      }
    }
  }

  /// Ends.
  package func stop() { thread.stop() }

  /// Reads what a descriptor has, until it ends, the thread is to, or so many seconds are over.
  ///
  /// - Returns: whether it has ended.
  @discardableResult
  private static func read(
    _ descriptor: Int32, _ stop: StopSignal, for seconds: Double? = nil,
    each take: (ArraySlice<UInt8>) throws(FocusError) -> Void
  ) throws(FocusError) -> Bool {
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    let deadline = seconds.map { MonotonicClock.now + $0 }
    while case .ready = stop.wait(for: descriptor, seconds: deadline.map { max(0, $0 - MonotonicClock.now) }) {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return true }
      try take(buffer[..<count])
    }
    return false
  }

  private static func lines(
    of descriptor: Int32, _ stop: StopSignal, each take: (String) throws(FocusError) -> Void
  ) throws(FocusError) {
    var waiting: [UInt8] = []
    try read(descriptor, stop) { bytes throws(FocusError) in
      waiting += bytes
      while let end = waiting.firstIndex(of: UInt8(ascii: "\n")) {
        let line = String(decoding: waiting[..<end], as: UTF8.self)
        waiting.removeSubrange(...end)
        try take(line)
      }
      // No name of a program is longer.
      if waiting.count > 64 << 10 { waiting.removeAll() }
    }
    if !waiting.isEmpty { try take(String(decoding: waiting, as: UTF8.self)) }
  }

  // MARK: sway and i3

  private func followSway(_ path: String, _ stop: StopSignal, connected: () -> Void) throws(FocusError) {
    let gone = FocusError(
      .noDesktop, "The desktop does not answer at \(path).", hint: "Run it in the session that SWAYSOCK names.")
    guard let address = SocketFile.address(path) else { throw gone }
    let socket = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard socket >= 0 else { throw gone }
    defer { close(socket) }
    guard SocketFile.connect(socket, to: address), Self.send(SwayFocus.hello, to: socket) else { throw gone }
    connected()
    var focus = SwayFocus()
    try Self.read(socket, stop) { bytes throws(FocusError) in
      for outcome in try focus.receive(bytes) {
        switch outcome {
        case .focused(let program): onFocus(program)
        case .ask(let request): guard Self.send(request, to: socket) else { throw gone }
        }
      }
    }
    if !stop.isRaised { throw gone }
  }

  private static func send(_ bytes: [UInt8], to socket: Int32) -> Bool {
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      sent += count
    }
    return true
  }

  // MARK: X11

  private func followX11(_ stop: StopSignal, connected: () -> Void) throws(FocusError) {
    let output = Pipe()
    let process = try run(["-root", "-spy", "_NET_ACTIVE_WINDOW"], to: output)
    defer { Self.end(process) }
    try Self.lines(of: output.fileHandleForReading.fileDescriptor, stop) { line throws(FocusError) in
      guard line.hasPrefix("_NET_ACTIVE_WINDOW") else { return }
      connected()
      guard let window = XFocus.window(in: line) else { return onFocus(nil) }
      onFocus(try program(of: window, stop))
    }
    if stop.isRaised { return }
    throw FocusError(
      .noDesktop, "xprop ended: the X server is gone, or its window manager names no active window.",
      hint: "Check DISPLAY; window managers that follow EWMH set _NET_ACTIVE_WINDOW.")
  }

  /// The program of a window; nil where it is closed already.
  ///
  /// - Throws: where it does not answer in time: an X server may hang, or be far away.
  private func program(of window: String, _ stop: StopSignal) throws(FocusError) -> String? {
    let output = Pipe()
    let process = try run(["-id", window, "WM_CLASS"], to: output)
    defer { Self.end(process) }
    var text: [UInt8] = []
    let isWhole = try Self.read(output.fileHandleForReading.fileDescriptor, stop, for: patience) { text += $0 }
    if !isWhole, !stop.isRaised {
      throw FocusError(
        .noDesktop, "xprop does not answer: the X server hangs.",
        hint: "Check DISPLAY with: xprop -root _NET_ACTIVE_WINDOW")
    }
    return XFocus.program(in: String(decoding: text, as: UTF8.self))
  }

  /// Ends a program that may wait for an X server that does not answer.
  private static func end(_ process: Process) {
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  /// Starts xprop. By Foundation, not as a worker is started: it prints what it sees, needs DISPLAY and XAUTHORITY, and a worker has neither an
  /// output nor an environment.
  private func run(_ arguments: [String], to output: Pipe) throws(FocusError) -> Process {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [xprop] + arguments
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    do {
      try process.run()
    } catch {
      throw FocusError(
        .noDesktop, "xprop cannot be started.", hint: "Install x11-utils.", cause: error.localizedDescription)
    }
    return process
  }
}
