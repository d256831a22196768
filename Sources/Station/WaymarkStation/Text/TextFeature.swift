package import WaymarkService

extension Feature {
  /// Text is read from frames.
  package static let text: Feature = {
    var feature = Feature()
    feature.keys = TextSettings.rows
    feature.sectionKeys = TextSettings.keys
    feature.cameraKeys = ["text.rate"]
    feature.profileKeys = TextSettings.rows + TextSettings.keys
    feature.problems = { configuration in configuration.document.map { TextSettings.read($0).problems } ?? [] }
    feature.make = { context in
      TextModule(
        hub: context.hub, cameras: context.cameras.map { $1.capture }, settings: TextSettings(context.configuration))
    }
    return feature
  }()
}
