extension ScanPictureRequest {
  /// The largest picture, in bytes.
  public static let largest = 16 << 20
}
