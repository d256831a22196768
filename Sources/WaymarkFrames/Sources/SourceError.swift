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
      hint:
        "check that the camera is on, and source.path and source.credentials; it is opened again automatically"
    )
  }

  /// An address for which there is no program.
  package static func noCameraProgram(_ address: String, reason: String) -> SourceError {
    SourceError(
      code: "cameraProgramMissing", message: "\(address) cannot be opened: \(reason)",
      hint: "apt install waymark-cameras")
  }

  /// A pipe through which no frames come any more.
  static func silentStream(_ path: String) -> SourceError {
    SourceError(
      code: "streamSilent", message: "\(path) stopped delivering frames",
      hint: "check the program that writes the stream; frames resume as soon as they arrive")
  }
}
