package import WaymarkConfiguration
import WaymarkDocuments
package import WaymarkService
import WaymarkSystem

/// The folders and the limits of pages.
package struct DocumentSettings: Configurable, Hashable {
  /// The folder of unsaved pages; nil to disable capturing.
  package var folder: String?
  /// The folder of saved documents.
  package var output: String?
  /// The file with the 32-byte key that encrypts unsaved pages; nil to store them in plain.
  package var keyFile: String?
  package var pageLimit = 100
  /// The largest size of all pictures of a session in bytes.
  package var byteLimit = 1 << 30
  /// Seconds after the last change for which unsaved pages are kept.
  var keepFor = 86_400.0
  /// True if PDFs contain the text of their pages, in the languages of `text.languages`.
  private var hasText = false
  /// The languages of the invisible text in PDFs, as names of Tesseract's models; nil for no text.
  var textLanguages: [String]?
  /// The largest number of frames a second.
  package var rate: Double?
  /// The largest number of frames a second of each further camera, by the camera's name.
  var rates: [String: Double] = [:]

  package init() {}

  package static let settings = section(
    "documents",
    [
      Setting(
        "folder", .path, "folder of unsaved pages", into: \.folder,
        otherwise: "`documents/session` in the state folder (systemd's, else `~/.local/state/waymark`)",
        change: .restart),
      Setting(
        "output", .path, "folder of saved documents", into: \.output,
        otherwise: "`documents/saved` in the state folder", change: .restart),
      Setting(
        "keyFile", .path,
        "file of 32 random bytes that seals unsaved pages, created if missing, or a [credential](operations.md#secrets)",
        into: \.keyFile, change: .restart, from: { Credential.path($0) }),
      Setting("pages", .int(1...200), "pages a document", into: \.pageLimit),
      Setting(
        "megabytes", .int(16...65_536), "size of its pictures", into: \.byteLimit,
        from: { (count: Int) in count << 20 },
        to: { $0 >> 20 }),
      Setting(
        "keepFor", .double(0.01...8760), "hours that unsaved pages are kept after the last change",
        into: \.keepFor, from: { (hours: Double) in hours * 3600 }, to: { $0 / 3600 }),
      Setting("rate", .double(0.1...240), "frames a second at most", into: \.rate),
      Setting(
        "text", .bool,
        "PDF has invisible text in `text.languages`, for searching and copying; needs `waymark-text`",
        into: \.hasText),
    ])
}

extension DocumentSettings {
  /// Reads the settings from the configuration; pages are kept in the service's state folder unless it names another.
  package init(_ configuration: ServiceConfiguration) {
    self.init()
    read(configuration.values)
    folder = folder ?? configuration.stateFolder + "/documents/session"
    output = output ?? configuration.stateFolder + "/documents/saved"
    rates = Self.ofCameras(configuration) { $0.rate }
    if hasText { textLanguages = TextSettings(configuration).languages }
  }

  /// Returns the problems of the folders and of the key file. A missing key file is a problem only if the service
  /// cannot create it.
  static func problems(_ configuration: ServiceConfiguration) -> [ConfigurationProblem] {
    var problems = ["documents.folder", "documents.output"].flatMap { configuration.folderProblems($0) }
    if let file = DocumentSettings(configuration).keyFile, !Credential.isMissing(file) {
      let folder = Folder.parent(of: file)
      if FileKind(file) == nil, FileKind(folder) == nil {
        problems.append(
          configuration.problem(
            "\(file) cannot be made: there is no folder \(folder)", "documents.keyFile",
            hint: "Create the folder, or name a file in another one."))
      } else if FileKind(file) == nil {
        problems += configuration.folderProblems("documents.keyFile", at: folder)
      } else {
        do throws(ServiceProblem) {
          _ = try PageSeal(keyFile: file)
        } catch {
          problems.append(configuration.problem(error.message, "documents.keyFile", hint: error.hint))
        }
      }
    }
    return problems
  }
}
