import Foundation
import WaymarkImage

/// One thing to scan, as the person named it.
struct ScanInput: Sendable {
  /// Where its bytes come from.
  enum Source: Sendable {
    case file(String)
    case standardInput
    /// Nothing to read; why.
    case unreadable(ImageError)
  }

  /// What results call it.
  let name: String
  let source: Source
  /// Where to draw what was found.
  var annotation: String?

  /// Files as they are, `-` for standard input, folders with all that is in them and below.
  ///
  /// Inside folders the order is that of the names; hidden entries and what is no regular file are left out, links to
  /// folders are not followed.
  static func expand(_ arguments: [String]) -> [ScanInput] {
    arguments.flatMap { argument -> [ScanInput] in
      if argument == "-" { return [ScanInput(name: "-", source: .standardInput)] }
      var isFolder: ObjCBool = false
      if FileManager.default.fileExists(atPath: argument, isDirectory: &isFolder), isFolder.boolValue {
        return contents(of: argument)
      }
      return [ScanInput(name: argument, source: .file(argument))]
    }
  }

  private static func contents(of folder: String) -> [ScanInput] {
    var found: [ScanInput] = []
    func visit(_ folder: String) {
      let names: [String]
      do {
        names = try FileManager.default.contentsOfDirectory(atPath: folder)
      } catch {
        let problem = ImageError(
          .cannotOpen, "the folder cannot be listed", hint: "Give this user the right to read it.")
        found.append(ScanInput(name: folder, source: .unreadable(problem)))
        return
      }
      for name in names.sorted() where !name.hasPrefix(".") {
        let path = folder.hasSuffix("/") ? folder + name : folder + "/" + name
        guard let kind = try? FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType else {
          continue
        }
        switch kind {
        case .typeDirectory: visit(path)
        case .typeRegular: found.append(ScanInput(name: path, source: .file(path)))
        case .typeSymbolicLink:
          var isFolder: ObjCBool = false
          if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), !isFolder.boolValue {
            found.append(ScanInput(name: path, source: .file(path)))
          }
        default: continue
        }
      }
    }
    visit(folder)
    if found.isEmpty {
      let problem = ImageError(.cannotOpen, "the folder holds no files", hint: "Name a folder with pictures in it.")
      found.append(ScanInput(name: folder, source: .unreadable(problem)))
    }
    return found
  }

  /// The bytes.
  func read() throws(ImageError) -> [UInt8] {
    switch source {
    case .file(let path): try PictureFile.read(path)
    case .standardInput: try PictureFile.readStandardInput()
    case .unreadable(let problem): throw problem
    }
  }
}
