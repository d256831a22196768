package import WaymarkSystem

/// Why a source cannot be opened, does not deliver, or does not do what it was told.
package typealias SourceError = Problem<SourceErrorCode>

/// The codes of `SourceError`: stable camelCase words: `cameraGone`, `cameraBusy`, `cameraNotPermitted`, `cameraStalled`, `unknownControl`, …
package struct SourceErrorCode: OpenProblemCode {
  /// The word.
  package let rawValue: String

  /// The code of a word.
  package init(rawValue: String) { self.rawValue = rawValue }
}

extension Problem where Kind == SourceErrorCode {
  /// The source has no such control.
  package static func unknownControl(_ name: String, device: String) -> SourceError {
    SourceError(
      code: "unknownControl", message: "\(device) has no control \(name)",
      hint: "`waymark cameras` lists what each camera can adjust")
  }

  /// The value lies outside of what the control takes.
  package static func controlOutOfRange(_ name: String, value: Int, range: ClosedRange<Int>) -> SourceError {
    SourceError(
      code: "controlOutOfRange", message: "\(name) takes \(range.lowerBound) to \(range.upperBound), not \(value)",
      hint: "choose a value in that range")
  }

  /// The device refused a value.
  package static func controlRefused(_ name: String, value: Int, reason: String) -> SourceError {
    SourceError(
      code: "controlRefused", message: "the device refused \(name) = \(value): \(reason)",
      hint: "an automatic mode may hold it: switch that off first (focusAuto, exposureAuto)")
  }

  /// A file or folder that a source was to read cannot be read.
  package static func cannotOpen(_ path: String, reason: String) -> SourceError {
    SourceError(
      code: "cannotOpen", message: "\(path) cannot be opened: \(reason)",
      hint: "check the path and who may read it")
  }

  /// A folder without a picture.
  package static func noPictures(_ path: String) -> SourceError {
    SourceError(
      code: "noPictures", message: "\(path) holds no picture that can be read",
      hint: "put JPEG, PNG, WebP, BMP, GIF or PNM files there")
  }

  /// A stream that is neither of the kinds that are understood.
  package static func unknownStream(_ path: String) -> SourceError {
    SourceError(
      code: "unknownStream", message: "\(path) is neither a Y4M nor an MJPEG stream",
      hint: "convert it, for instance: ffmpeg -i INPUT -f mjpeg - | waymark serve --source -")
  }

  /// A stream that breaks its own rules.
  package static func damagedStream(_ path: String, reason: String) -> SourceError {
    SourceError(
      code: "damagedStream", message: "\(path) can no longer be read: \(reason)",
      hint: "check the program that writes the stream")
  }

  /// A stream that has come to its end, though more was to come.
  static func endedStream(_ path: String) -> SourceError {
    path == "-"
      ? SourceError(
        code: "streamEnded", message: "standard input has ended",
        hint: "check the program that feeds it, and start it again together with the service")
      : SourceError(
        code: "streamEnded", message: "\(path) has ended: its writer closed it",
        hint: "start the program that writes the stream; it is reopened automatically")
  }

  /// An address from which nothing comes any more.
  static func endedConnection(_ address: String) -> SourceError {
    SourceError(
      code: "streamEnded", message: "\(address) sends no pictures, or stopped sending them",
      hint: "\(addressCheck(address)); it is opened again automatically")
  }

  /// An address for which there is no program, or not all that belongs to it.
  ///
  /// - Parameter packages: the Debian packages to install.
  package static func noCameraProgram(
    _ address: String, reason: String, packages: [String] = ["waymark-cameras"]
  ) -> SourceError {
    SourceError(
      code: "cameraProgramMissing", message: "\(address) cannot be opened: \(reason)",
      hint: "apt install \(packages.joined(separator: " "))")
  }

  /// A camera of PipeWire where no PipeWire runs.
  package static func noPipeWire(_ address: String, path: String) -> SourceError {
    SourceError(
      code: "cannotOpen", message: "\(address) cannot be opened: no PipeWire answers at \(path)",
      hint: "run the service as the user whose session has PipeWire (systemctl --user), or start pipewire")
  }

  /// A pipe or an address through which no frames come any more.
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

  /// What to check where an address delivers nothing.
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
