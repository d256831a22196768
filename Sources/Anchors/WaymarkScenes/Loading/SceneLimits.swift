/// The limits of a scene. They exist so that no file can exhaust the service that reads it.
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
  /// The greatest distance from the anchor's centre in metres.
  static let reach = 100.0
  /// The greatest distance from the picture's corner, in widths or heights of it.
  static let shares = 10.0
  /// The greatest distance from the picture's corner in pixels.
  static let pixels = 100_000.0
  /// The most problems in a list; of the others only the number is reported.
  static let problems = 50
}
