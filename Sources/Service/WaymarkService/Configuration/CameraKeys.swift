import WaymarkConfiguration

/// The keys of `cameras`: those of the file's top that a further camera has of its own.
enum CameraKeys {
  /// The path of a camera, as rows of the table say it.
  static let prefix = "cameras.NAME"

  /// The most cameras that are kept beside the first.
  static let limit = 7

  /// Keys that stand here alone, in the order of the page.
  static let own: [ConfigurationKey] = [
    ConfigurationKey(
      "cameras", .named, "further cameras, by a name for each ([camera.md](camera.md#several-cameras))",
      hasVariable: false),
    ConfigurationKey(
      prefix, .section,
      "a camera: the keys of this page that [camera.md](camera.md#several-cameras) lists", hasVariable: false),
  ]

  /// The name of each key in a camera's section, and the key at the top of the file that it is: those of `camera` stand in it without
  /// their section, and what is looked at in its frames with it.
  ///
  /// - Parameter further: the paths of other keys that a camera has of its own.
  static func places(
    _ keys: [ConfigurationKey], _ further: Set<String>
  ) -> [(name: String, key: ConfigurationKey)] {
    keys.compactMap { key in
      switch key.path.prefix(while: { $0 != "." }) {
      case "camera": key.path == "camera.name" ? nil : (String(key.path.dropFirst("camera.".count)), key)
      case "source", "scan": (key.path, key)
      default: key.path == "anchors.rate" || further.contains(key.path) ? (key.path, key) : nil
      }
    }
  }

  /// The rows of those places.
  static func rows(_ places: [(name: String, key: ConfigurationKey)]) -> [ConfigurationKey] {
    places.map { place in place.key.moved(to: "\(prefix).\(place.name)") }
  }
}
