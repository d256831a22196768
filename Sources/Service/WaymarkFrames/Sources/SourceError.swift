package import WaymarkSystem

/// The error of a source that cannot be opened, delivers no frames, or refuses a control. `SourceFault` below adds how
/// the source is opened again.
package typealias SourceError = Problem<SourceErrorCode>

/// A stable camelCase code of a `SourceError`, such as `cameraGone`, `cameraBusy`, `cameraNotPermitted`, `cameraStalled` or `unknownControl`.
package struct SourceErrorCode: OpenProblemCode {
  package let rawValue: String

  package init(rawValue: String) { self.rawValue = rawValue }
}

extension Problem where Kind == SourceErrorCode {
  package static func unknownControl(_ name: String, device: String) -> SourceError {
    SourceError(
      code: "unknownControl", message: "\(device) has no control \(name)",
      hint: "`waymark cameras` lists what each camera can adjust")
  }

  package static func controlOutOfRange(_ name: String, value: Int, range: ClosedRange<Int>) -> SourceError {
    SourceError(
      code: "controlOutOfRange", message: "\(name) takes \(range.lowerBound) to \(range.upperBound), not \(value)",
      hint: "choose a value in that range")
  }

  package static func controlRefused(_ name: String, value: Int, reason: String) -> SourceError {
    SourceError(
      code: "controlRefused", message: "the device refused \(name) = \(value): \(reason)",
      hint: "an automatic mode may hold it: switch that off first (focusAuto, exposureAuto)")
  }

  /// The file or folder of a source cannot be read.
  package static func cannotOpen(_ path: String, reason: String) -> SourceError {
    SourceError(
      code: "cannotOpen", message: "\(path) cannot be opened: \(reason)",
      hint: "Check the path and who may read it.")
  }

  package static func noPictures(_ path: String) -> SourceError {
    SourceError(
      code: "noPictures", message: "\(path) holds no picture that can be read",
      hint: "put JPEG, PNG, WebP, BMP, GIF or PNM files there")
  }

  /// The stream is neither Y4M nor MJPEG.
  package static func unknownStream(_ path: String) -> SourceError {
    SourceError(
      code: "unknownStream", message: "\(path) is neither a Y4M nor an MJPEG stream",
      hint: "convert it, for instance: ffmpeg -i INPUT -f mjpeg - | waymark serve --source -")
  }

  package static func damagedStream(_ path: String, reason: String) -> SourceError {
    SourceError(
      code: "damagedStream", message: "\(path) can no longer be read: \(reason)",
      hint: "check the program that writes the stream")
  }

  /// The stream has ended, although more frames were expected.
  static func endedStream(_ path: String) -> SourceError {
    path == "-"
      ? SourceError(
        code: "streamEnded", message: "standard input has ended",
        hint: "check the program that feeds it, and start it again together with the service")
      : SourceError(
        code: "streamEnded", message: "\(path) has ended: its writer closed it",
        hint: "start the program that writes the stream; it is reopened automatically")
  }

  /// The address sends no frames, or no longer sends any.
  static func endedConnection(_ address: String) -> SourceError {
    SourceError(
      code: "streamEnded", message: "\(address) sends no pictures, or stopped sending them",
      hint: "\(addressCheck(address)); it is opened again automatically")
  }

  /// The program for an address, or a package that the program requires, is missing.
  package static func noCameraProgram(
    _ address: String, reason: String, packages: [String] = ["waymark-cameras"]
  ) -> SourceError {
    SourceError(
      code: "cameraProgramMissing", message: "\(address) cannot be opened: \(reason)",
      hint: "apt install \(packages.joined(separator: " "))")
  }

  /// The address is a camera of PipeWire, but PipeWire is not running.
  package static func noPipeWire(_ address: String, path: String) -> SourceError {
    SourceError(
      code: "cannotOpen", message: "\(address) cannot be opened: no PipeWire answers at \(path)",
      hint: "run the service as the user whose session has PipeWire (systemctl --user), or start pipewire")
  }

  /// No frames arrive from the pipe or address any more.
  static func silentStream(_ path: String) -> SourceError {
    guard StreamAddress.scheme(of: path) != nil else {
      return SourceError(
        code: "streamSilent", message: "\(path) stopped delivering frames",
        hint: "check the program that writes the stream; frames resume as soon as they arrive")
    }
    return SourceError(
      code: "streamSilent", message: "\(path) delivers no frames",
      hint: "\(addressCheck(path)); it is opened again automatically")
  }

  /// Returns the hint for an address that sends no frames.
  private static func addressCheck(_ address: String) -> String {
    let local = "its name in source.path, and ?format=MJPG where it sends nothing else"
    return switch StreamAddress.scheme(of: address).flatMap({ StreamAddress.Scheme(rawValue: $0) }) {
    case .pipewire: "check that PipeWire has the camera (pw-cli ls Node), \(local)"
    case .libcamera:
      "check that libcamera finds the camera (cam --list), that no other program uses it, \(local)"
    default: "check that the camera is on, and source.path and source.credentials"
    }
  }
}

// MARK: - Faults

/// The problem of an unavailable source, and how the source is opened again.
package struct SourceFault: Error, Sendable, Equatable {
  package var problem: SourceError
  /// The maximum pause between two attempts, in seconds.
  package var longestPause: Double
  /// True if the source stays open until the next attempt.
  var leavesOpen: Bool
  /// True if there is no further attempt.
  var isFinal: Bool
  /// If one of these problems was reported before, this problem is not reported.
  package var follows: Predecessors

  /// The problems after which another problem is not reported, because they imply it.
  package enum Predecessors: Sendable, Equatable {
    /// Only the same problem.
    case itself
    /// The same problem, or the given one: for example, a camera that was unplugged is missing at the next attempt.
    case problem(SourceErrorCode)
    /// Any problem: a stream that broke also ends.
    case any
  }

  package init(
    _ problem: SourceError, longestPause: Double, leavesOpen: Bool = false, isFinal: Bool = false,
    follows: Predecessors = .itself
  ) {
    self.problem = problem
    self.longestPause = longestPause
    self.leavesOpen = leavesOpen
    self.isFinal = isFinal
    self.follows = follows
  }

  func isNew(after reported: SourceError?) -> Bool {
    guard let reported, reported != problem else { return reported == nil }
    return switch follows {
    case .itself: true
    case .problem(let code): reported.code != code
    case .any: false
    }
  }
}
