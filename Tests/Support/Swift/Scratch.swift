import Foundation

/// A folder that goes with the test.
final class Scratch {
  let path = NSTemporaryDirectory() + "waymark-scratch-\(UUID().uuidString)"
  deinit { try? FileManager.default.removeItem(atPath: path) }

  var files: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted().map { "\(path)/\($0)" }
  }

  func bytes(_ file: String) -> [UInt8] { FileManager.default.contents(atPath: file).map(Array.init) ?? [] }

  func write(_ bytes: [UInt8], to file: String) {
    _ = FileManager.default.createFile(atPath: file, contents: Data(bytes))
  }
}

func payload(_ number: Int) -> [UInt8] { Array("event \(number)".utf8) }
