/// The purpose of a scan.
public enum ScanMode: String, Codable, CaseIterable, Sendable {
  /// A code to onboard with: policy and signature decide.
  case onboarding
  /// Any code: what it says is handed on.
  case barcode
}

/// The kind of source that a verdict or a frame comes from.
public enum ScanSource: String, Codable, CaseIterable, Sendable {
  /// A camera of this device.
  case camera
  /// A stream of pictures: a file, a pipe, or standard input.
  case stream
  /// A folder of pictures that is played as frames.
  case folder
  /// A single picture: of the gallery, or sent by a client.
  case picture
}
