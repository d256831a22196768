/// How much a scene may hold. A scene is read by a service that must not fall over a file, so everything has a bound.
package enum SceneLimits {
  /// Bytes of `scene.yaml` or `scene.json`.
  static let sceneBytes = 4 << 20
  /// Bytes of a file to import; it carries its pictures inside.
  static let importBytes = 128 << 20
  /// Anchors in a scene.
  package static let anchors = 200
  /// Copies of an anchor that are followed at once.
  package static let copies = 30
  /// Annotations in a scene: more than anyone can tell apart in a picture.
  package static let annotations = 1_000
  /// Bytes of one picture.
  package static let pictureBytes = 32 << 20
  /// Characters of a name or id.
  static let nameLength = 128
  /// Characters of any other text.
  static let textLength = 8_192
  /// Metres from the anchor's centre.
  static let reach = 100.0
  /// Problems in a list; what is beyond is counted.
  static let problems = 50
}
