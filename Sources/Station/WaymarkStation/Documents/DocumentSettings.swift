import Glibc
import WaymarkConfiguration
package import WaymarkService
import WaymarkSystem
import WaymarkText
import WaymarkWorker

/// Where pages are kept and go, and how many.
package struct DocumentSettings: Hashable, Sendable {
  /// Where pages are kept until they are saved; nil: there is no such place.
  package var folder: String?
  /// Where they are saved.
  package var output: String?
  /// A file of 32 bytes by which pages are sealed until they are saved.
  package var keyFile: String?
  package var pageLimit = 100
  /// Bytes of all pictures of a session.
  package var byteLimit = 1 << 30
  /// Seconds after the last change for which pages of nobody are kept.
  var keepFor = 86_400.0
  /// The languages of the text that a PDF holds unseen under its pages, as Tesseract names its models; nil: it holds none.
  var textLanguages: [String]?
  /// Frames a second that are looked at, at most.
  package var rate: Double?
  /// The rates that cameras have of their own, by name.
  var rates: [String: Double] = [:]

  package init() {}

  /// These settings with the limits of others: where pages are kept and go, a restart alone changes.
  func limited(as other: DocumentSettings) -> DocumentSettings {
    var settings = self
    settings.pageLimit = other.pageLimit
    settings.byteLimit = other.byteLimit
    settings.keepFor = other.keepFor
    settings.textLanguages = other.textLanguages
    settings.rate = other.rate
    settings.rates = other.rates
    return settings
  }
}

extension DocumentSettings {
  /// The settings, from the configuration; pages are kept in the service's state folder unless it names another.
  package init(_ configuration: ServiceConfiguration) {
    self.init()
    let values = configuration.values
    folder = values.string(forKey: "documents.folder") ?? Self.stateFolder.map { $0 + "/documents/session" }
    output = values.string(forKey: "documents.output") ?? Self.stateFolder.map { $0 + "/documents/saved" }
    if let folder, output == nil { output = folder + "/saved" }
    keyFile = values.string(forKey: "documents.keyFile").map { Credential.path($0) }
    pageLimit = values.int(forKey: "documents.pages") ?? pageLimit
    byteLimit = values.int(forKey: "documents.megabytes").map { $0 << 20 } ?? byteLimit
    keepFor = values.double(forKey: "documents.keepFor").map { $0 * 3600 } ?? keepFor
    rate = values.double(forKey: "documents.rate")
    for camera in configuration.cameras { rates[camera.name] = camera.values.double(forKey: "documents.rate") }
    if values.bool(forKey: "documents.text") == true { textLanguages = TextSettings(configuration).languages }
  }

  /// The folder that systemd made for the service, else where the XDG base directory specification wants state.
  private static var stateFolder: String? {
    func variable(_ name: String) -> String? {
      getenv(name).map { String(cString: $0) }.flatMap { $0.hasPrefix("/") ? $0 : nil }
    }
    // Of several folders that systemd names the first is ours.
    if let folder = variable("STATE_DIRECTORY") { return String(folder.prefix { $0 != ":" }) }
    return variable("XDG_STATE_HOME").map { $0 + "/waymark" } ?? variable("HOME").map { $0 + "/.local/state/waymark" }
  }
}
