/// Asks for the scenes.
public struct SceneListRequest: ServiceRequest {

  /// The result of a success.
  public typealias Result = SceneListResult

  /// The name on the wire.
  public static let method = "scene.list"

  /// The only value.
  public init() {}
}

/// The scenes.
public struct SceneListResult: Codable, Hashable, Sendable {
  /// The scenes in the configured folders.
  public var scenes: [SceneSummary]

  /// A value from its parts.
  public init(
    scenes: [SceneSummary]
  ) {
    self.scenes = scenes
  }
}

/// A scene in short.
public struct SceneSummary: Codable, Hashable, Sendable {
  /// Its name for `scene.load`.
  public var scene: String
  /// Its title.
  public var title: String?
  /// True if it is in use.
  public var loaded: Bool

  /// A value from its parts.
  public init(
    scene: String, title: String? = nil, loaded: Bool
  ) {
    self.scene = scene
    self.title = title
    self.loaded = loaded
  }
}

/// Uses a scene; `scene.loaded` or `scene.failed` follows.
public struct SceneLoadRequest: ServiceRequest {
  /// Which.
  public var name: String
  /// The camera in which it is followed, by its name; that of the scene's file when missing, else the first one.
  public var camera: String?

  /// The result of a success.
  public typealias Result = SceneLoadResult

  /// The name on the wire.
  public static let method = "scene.load"

  /// A value from its parts.
  public init(
    name: String, camera: String? = nil
  ) {
    self.name = name
    self.camera = camera
  }
}

/// The scene.
public struct SceneLoadResult: Codable, Hashable, Sendable {
  /// Its name.
  public var scene: String

  /// A value from its parts.
  public init(
    scene: String
  ) {
    self.scene = scene
  }
}

/// Uses no scene.
public struct SceneUnloadRequest: ServiceRequest {

  /// The result of a success.
  public typealias Result = Empty

  /// The name on the wire.
  public static let method = "scene.unload"

  /// The only value.
  public init() {}
}
