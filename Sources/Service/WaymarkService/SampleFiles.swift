import Logging
import WaymarkImage
import WaymarkScenes
import WaymarkSystem

/// Finds the sample files of the installed package or of the checkout. The file also has the folders of the configured scenes, and
/// the calibrations of their cameras.
package enum SampleFiles {
  /// Returns the path of a folder of samples, such as `scenes`; nil if the folder is not installed.
  package static func folder(_ name: String) -> String? {
    var candidates: [String] = []
    var folder = ChildProgram.ownPath ?? ""
    for _ in 0..<6 {
      guard let slash = folder.lastIndex(of: "/") else { break }
      folder = String(folder[..<slash])
      candidates += ["\(folder)/share/waymark/\(name)", "\(folder)/Samples/\(name)"]
    }
    candidates += ["Samples/\(name)", "/usr/share/waymark/\(name)"]
    return candidates.first { FileKind($0) == .folder }
  }
}

// MARK: - Scenes and calibrations

extension SceneSettings {
  /// The folders of scenes. If none are configured, this is the folder of the sample scenes, for a first try.
  var effectiveFolders: [String] {
    folders.isEmpty ? SampleFiles.folder("scenes").map { [$0] } ?? [] : folders
  }

  init(_ configuration: ServiceConfiguration, log: Logger) {
    self = configuration.scenes
    folders = effectiveFolders
    cameras = CameraChoice(configuration.camera, log: log)
    for camera in configuration.cameras {
      others[camera.name] = CameraChoice(camera.settings.camera, log: log)
      rates[camera.name] = camera.settings.scenes.rate
    }
  }

  /// Returns the calibrations and the field of view of a camera, given its name.
  func choice(of camera: String) -> CameraChoice { others[camera] ?? cameras }
}

extension CameraChoice {
  fileprivate init(_ configuration: ServiceSettings.Camera, log: Logger) {
    self.init(fieldOfView: configuration.fieldOfView.map { $0 * .pi / 180 })
    for entry in configuration.calibrations {
      do {
        calibrations.append(try Self.calibration(entry))
      } catch {
        log.error("a calibration cannot be used", metadata: ["file": "\(entry)", "problem": "\(error)"])
      }
    }
  }

  /// Reads the file in an entry of `camera.calibrations`: `CAMERA=FILE`, or `FILE` for any camera.
  ///
  /// - Throws: `FileError` if the file cannot be read, or the error of `CameraInfo` if it is not valid.
  static func calibration(_ entry: String) throws -> Calibration {
    let parts = entry.split(separator: "=", maxSplits: 1).map(String.init)
    let (camera, path) = parts.count == 2 ? (parts[0], parts[1]) : (nil, entry)
    let info = try CameraInfo(
      yaml: String(decoding: try WholeFile.read(path, limit: 1 << 20), as: UTF8.self), name: path)
    return Calibration(
      width: info.size?.width ?? 0, height: info.size?.height ?? 0, intrinsics: info.intrinsics, camera: camera)
  }
}
