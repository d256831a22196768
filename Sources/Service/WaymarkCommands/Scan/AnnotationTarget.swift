import ArgumentParser
import Foundation
import WaymarkImage
import WaymarkOnboarding
import WaymarkSystem

/// Where annotated pictures go.
struct AnnotationTarget: Sendable {
  /// The file of each input, in order.
  let paths: [String]

  /// One input goes to the file that is named; several go into the folder that is named, under names of their own.
  init(_ destination: String, inputs: [ScanInput]) throws {
    var isFolder: ObjCBool = false
    let exists = FileManager.default.fileExists(atPath: destination, isDirectory: &isFolder)
    if exists && isFolder.boolValue {
      paths = Self.names(inputs).map { destination.hasSuffix("/") ? destination + $0 : destination + "/" + $0 }
      return
    }
    guard inputs.count == 1 else {
      throw ValidationError("--annotate with \(inputs.count) inputs needs a folder that exists, not \(destination).")
    }
    guard Self.encoder(for: destination) != nil else {
      throw ValidationError("--annotate writes .png and .jpg files, not \(destination).")
    }
    paths = [destination]
  }

  /// Refuses to draw over a picture that is to be read.
  func keepInputs(_ inputs: [ScanInput]) throws {
    let targets = Set(paths.compactMap { FileIdentity($0) })
    if let input = inputs.first(where: { $0.identity.map(targets.contains) ?? false }) {
      throw ValidationError(
        "--annotate would write over the input \(DisplayText.escaped(input.name)): name another file.")
    }
  }

  /// The inputs' own names with .png behind, numbered where one comes twice.
  private static func names(_ inputs: [ScanInput]) -> [String] {
    var used: Set<String> = []
    return inputs.map { input in
      let last = input.name.split(separator: "/").last.map(String.init) ?? "picture"
      let stem = last == "-" ? "stdin" : last
      var name = stem + ".png"
      var number = 2
      while !used.insert(name).inserted {
        name = "\(stem)-\(number).png"
        number += 1
      }
      return name
    }
  }

  /// The file of a page: that of the input for the first one, with the number before its ending for others.
  static func path(_ path: String, page: Int?) -> String {
    guard let page, page > 1, let dot = path.lastIndex(of: ".") else { return path }
    return "\(path[..<dot])-\(page)\(path[dot...])"
  }

  private static func encoder(for path: String) -> ((RGBImage) throws(ImageError) -> [UInt8])? {
    let name = path.lowercased()
    if name.hasSuffix(".png") { return { image throws(ImageError) in try PNGEncoder.encode(image) } }
    if name.hasSuffix(".jpg") || name.hasSuffix(".jpeg") {
      return { image throws(ImageError) in try JPEGEncoder.encode(image, quality: 90) }
    }
    return nil
  }

  /// Writes a picture in the format that the file's name asks for.
  static func write(_ image: RGBImage, to path: String) throws(ImageError) {
    guard let encode = encoder(for: path) else { return }
    let bytes = try encode(image)
    do throws(FileError) {
      try DurableFile.write(bytes, to: path)
    } catch {
      throw ImageError(
        .cannotWrite, "the annotated picture \(path) cannot be written: \(error.cause ?? error.message)",
        hint: "Check that its folder exists and that this user may write in it.", cause: error.cause)
    }
  }
}
