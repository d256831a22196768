import WaymarkConfiguration
package import WaymarkService

extension Feature {
  /// The keys of `waymark type`, a program of its own that reads the service's file.
  package static let typing: Feature = {
    var feature = Feature()
    feature.keys = TypingSettings.keys
    feature.sectionKeys = TypingKeys.all
    feature.profileKeys = TypingSettings.keys.filter { $0.path != "type.device" } + TypingKeys.all
    feature.problems = { TypingConfiguration($0).problems }
    return feature
  }()
}
