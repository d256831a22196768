/// A scene is in use.
public struct SceneLoaded: EventPayload {
  /// The scene.
  public var scene: SceneDescription

  /// The name on the wire.
  public static let event = "scene.loaded"

  /// Without what codes must say.
  public var forObservers: Self { Self(scene: scene.forObservers) }

  /// A value from its parts.
  public init(
    scene: SceneDescription
  ) {
    self.scene = scene
  }
}

/// No scene is in use any more.
public struct SceneUnloaded: EventPayload {
  /// The scene that was.
  public var scene: String
  /// The client that unloaded it.
  public var by: Actor?

  /// The name on the wire.
  public static let event = "scene.unloaded"

  /// Nothing in it is a secret.
  public var forObservers: Self { self }

  /// A value from its parts.
  public init(
    scene: String, by: Actor? = nil
  ) {
    self.scene = scene
    self.by = by
  }
}

/// A scene is being loaded; coalesces.
public struct SceneProgress: EventPayload {
  /// Its name.
  public var scene: String
  /// Anchors compiled.
  public var done: Int
  /// Anchors in all.
  public var total: Int

  /// The name on the wire.
  public static let event = "scene.progress"

  /// Nothing in it is a secret.
  public var forObservers: Self { self }

  /// A value from its parts.
  public init(
    scene: String, done: Int, total: Int
  ) {
    self.scene = scene
    self.done = done
    self.total = total
  }
}

/// A scene cannot be used; the one before stays.
public struct SceneFailed: EventPayload {
  /// Its name.
  public var scene: String
  /// The error's code.
  public var code: String
  /// The message.
  public var message: String
  /// The remedy.
  public var hint: String
  /// Everything that is wrong with it.
  public var problems: [String]

  /// The name on the wire.
  public static let event = "scene.failed"

  /// Nothing in it is a secret.
  public var forObservers: Self { self }

  /// A value from its parts.
  public init(
    scene: String, code: String, message: String, hint: String, problems: [String] = []
  ) {
    self.scene = scene
    self.code = code
    self.message = message
    self.hint = hint
    self.problems = problems
  }
}
