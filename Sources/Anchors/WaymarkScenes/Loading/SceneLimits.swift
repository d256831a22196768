/// The limits of a scene, so that no file can exhaust the service that reads it.
package enum SceneLimits {
  /// The largest size of `scene.yaml` or `scene.json` in bytes.
  static let sceneBytes = 4 << 20
  /// The largest size in bytes of a file to import, which contains its pictures.
  static let importBytes = 128 << 20
  /// The most anchors in a scene.
  package static let anchors = 200
  /// The most copies of an anchor that are followed at once.
  package static let copies = 30
  /// The most annotations in a scene.
  package static let annotations = 1_000
  /// The largest size of one picture in bytes.
  package static let pictureBytes = 32 << 20
  /// The most characters of a name or id.
  static let nameLength = 128
  /// The most characters of any other text.
  static let textLength = 8_192
  /// The greatest distance of an annotation from the anchor's centre, and the greatest width and radius of a picture,
  /// in metres.
  static let reach = 100.0
  /// The greatest distance from the picture's upper left corner along each axis, in widths or heights of the picture.
  static let shares = 10.0
  /// The greatest distance from the picture's upper left corner along each axis, in pixels.
  static let pixels = 100_000.0
  /// The most problems in a report; of further problems only the number is reported.
  static let problems = 50

  /// Returns why a picture of this size, in pixels, cannot be found in frames; nil if it can.
  package static func problem(width: Int, height: Int) -> (message: String, hint: String)? {
    let (long, short) = (max(width, height), min(width, height))
    if 10 * short >= long, long >= 120 { return nil }
    return (
      "It is too small or too narrow to be found (\(width)×\(height)).",
      "Take a picture of at least 120 pixels that is not ten times as long as wide."
    )
  }
}
