/// What a scan is for.
public enum ScanMode: String, Codable, CaseIterable, Sendable {
  /// A code to onboard with: policy and signature decide.
  case onboarding
  /// Any code: what it says is handed on.
  case barcode
}

/// Where a verdict comes from.
public enum ScanSource: String, Codable, CaseIterable, Sendable {
  /// A frame of the camera.
  case live
  /// A picture of the gallery.
  case gallery
}
