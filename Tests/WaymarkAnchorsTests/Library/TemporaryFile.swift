import Foundation

/// A path for a file that does not exist yet.
func temporaryPath() -> String {
  FileManager.default.temporaryDirectory.appendingPathComponent("waymark-anchors-\(UUID().uuidString)").path
}

func remove(_ path: String) { try? FileManager.default.removeItem(atPath: path) }
