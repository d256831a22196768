package import WaymarkSystem

/// The files that override a configuration file: the files with the extension `yaml` in the folder `waymark.d` beside
/// `waymark.yaml`, in the order of their names. Each overrides the files before it.
package struct ConfigurationLayers: Sendable {
  /// The maximum number of files.
  private static let limit = 64

  /// The files that could be read.
  package private(set) var documents: [ConfigurationDocument] = []
  /// The problems of the folder, and of the files that cannot be read.
  package private(set) var problems: [ConfigurationProblem] = []

  /// Reads the files that override the file `path`.
  ///
  /// - Parameter parse: checks a file, given its text and its path.
  package init(over path: String, parse: (_ text: String, _ path: String) -> ConfigurationDocument) {
    let folder = path.deletingPathExtension + ".d"
    guard FileKind(folder) == .folder else { return }
    do throws(FileError) {
      let all = try Folder.names(folder).filter { !$0.hasPrefix(".") }.sorted()
      problems += all.filter { !$0.hasSuffix(".yaml") && [".yml", ".yaml"].contains(where: $0.lowercased().hasSuffix) }
        .map {
          ConfigurationProblem(
            origin: "\(folder)/\($0)", message: "it is not read, because its name does not end in .yaml",
            hint: "Rename it, or move it elsewhere.")
        }
      let names = all.filter { $0.hasSuffix(".yaml") }
      if names.count > Self.limit {
        problems.append(
          ConfigurationProblem(
            origin: folder, message: "it has more than \(Self.limit) files", hint: "Join some of them."))
      }
      for file in names.prefix(Self.limit).map({ "\(folder)/\($0)" }) {
        switch ConfigurationDocument.text(of: file) {
        case .success(let text): documents.append(parse(text, file))
        case .failure(let reason): problems.append(.unreadable(file, reason))
        }
      }
    } catch {
      problems.append(.unreadable(folder, error))
    }
  }
}

extension ConfigurationDocument {
  /// Reads a file of at most 1 MiB as text.
  package static func text(of path: String) -> Result<String, FileError> {
    Result { () throws(FileError) in String(decoding: try WholeFile.read(path, limit: 1 << 20), as: UTF8.self) }
  }
}

extension ConfigurationProblem {
  /// Returns the problem of a file or folder that cannot be read.
  package static func unreadable(_ path: String, _ error: FileError) -> Self {
    Self(
      origin: path, message: "it cannot be read: \(error.cause ?? error.message)",
      hint: "Check the path and who may read it.")
  }
}
