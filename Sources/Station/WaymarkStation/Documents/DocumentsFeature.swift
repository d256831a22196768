import WaymarkConfiguration
import WaymarkDocuments
package import WaymarkService

extension Feature {
  /// Pages are looked for, captured, put right and saved.
  package static let documents: Feature = {
    var feature = Feature()
    feature.keys = DocumentSettings.keys
    feature.cameraKeys = ["documents.rate"]
    feature.profileKeys = DocumentSettings.keys.filter(\.isReloadable)
    feature.make = { context in
      DocumentsModule(
        hub: context.hub, cameras: context.cameras.map { $1.capture },
        settings: DocumentSettings(context.configuration),
        models: try PageModels.load())
    }
    feature.task = PageRequest.self
    return feature
  }()
}

extension DocumentSettings {
  /// The keys of the section `documents`.
  static let keys: [ConfigurationKey] = [
    ConfigurationKey(
      "documents.folder", .string, "where captured pages are kept until they are saved",
      otherwise: "`documents/session` in the state folder (systemd's, else `~/.local/state/waymark`)"),
    ConfigurationKey(
      "documents.output", .string, "where documents are saved", otherwise: "`documents/saved` in the state folder"),
    ConfigurationKey(
      "documents.keyFile", .string,
      "a file of 32 random bytes by which pages are sealed until they are saved; made where there is none; a [credential](operations.md#secrets) too"
    ),
    ConfigurationKey("documents.pages", .int(1...200), "pages a document", otherwise: "100", change: .reload),
    ConfigurationKey(
      "documents.megabytes", .int(16...65_536), "what its pictures take at most", otherwise: "1024", change: .reload),
    ConfigurationKey(
      "documents.keepFor", .double(0.01...8760),
      "hours after the last change for which pages that nobody saved are kept", otherwise: "24", change: .reload),
    ConfigurationKey("documents.rate", .double(0.1...240), "frames a second that are looked at", change: .reload),
    ConfigurationKey(
      "documents.text", .bool,
      "whether a PDF holds the words of its pages, unseen, for searching and copying; in the languages of `text.languages`, with the package `waymark-text`",
      otherwise: "`false`", change: .reload),
  ]
}
