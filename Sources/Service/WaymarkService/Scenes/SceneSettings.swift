import Foundation
import Logging
import WaymarkScenes
import WaymarkSystem

/// The settings of scenes.
package struct SceneSettings: Sendable {
  /// Folders of scenes.
  package var folders: [String] = []
  /// Where compiled anchors are kept; a place of the system's choice when missing.
  package var cache: String?
  /// The scene to load at the start.
  package var load: String?
  /// True if the session starts as soon as that scene is loaded.
  package var start = false
  /// Seconds from matched to annotating.
  package var annotateAfter: Double?
  /// Seconds out of view after which an anchor counts as lost.
  package var lostAfter: Double?
  /// A library to follow while no session is active.
  package var library: String?
  /// How many copies of each of its anchors are followed.
  package var copies = 1
  /// Frames a second at most.
  package var rate: Double?
  /// How cameras map directions to pixels.
  package var cameras = CameraChoice()
  /// How further cameras do, by name.
  var others: [String: CameraChoice] = [:]
  /// The rates that further cameras have of their own, by name.
  var rates: [String: Double] = [:]
  /// How often the files of the scene are looked at, in seconds.
  var watchInterval = 1.0

  package init() {}
}

extension SceneSettings {
  /// The times of the session.
  var session: SessionConfiguration {
    var session = SessionConfiguration()
    if let annotateAfter { session.annotateAfter = annotateAfter }
    if let lostAfter { session.lostAfter = lostAfter }
    return session
  }

  /// The settings, from the configuration.
  init(_ configuration: ServiceConfiguration, log: Logger) {
    self.init()
    folders = configuration.scenes.folders
    if folders.isEmpty, let samples = SourceFactory.sampleScenes {
      // Beside the sample frames, and wherever nothing else is configured: something to try.
      folders = [samples]
    }
    cache = configuration.scenes.cache
    load = configuration.scenes.load
    start = configuration.scenes.start
    annotateAfter = configuration.scenes.annotateAfter
    lostAfter = configuration.scenes.lostAfter
    library = configuration.anchorLibrary
    copies = configuration.anchorCopies
    rate = configuration.anchorRate
    cameras = CameraChoice(configuration.camera, log: log)
    for camera in configuration.cameras {
      others[camera.name] = CameraChoice(camera.camera, log: log)
      rates[camera.name] = camera.anchorRate
    }
  }

  /// How a camera maps directions to pixels.
  func choice(of camera: String) -> CameraChoice { others[camera] ?? cameras }
}

extension CameraChoice {
  /// The calibrations of a camera's configuration.
  fileprivate init(_ configuration: ServiceConfiguration.Camera, log: Logger) {
    self.init(fieldOfView: configuration.fieldOfView.map { $0 * .pi / 180 })
    for entry in configuration.calibrations {
      // "CAMERA=FILE", or a file for any camera.
      let parts = entry.split(separator: "=", maxSplits: 1).map(String.init)
      let (camera, path) = parts.count == 2 ? (parts[0], parts[1]) : (nil, entry)
      do throws(CameraInfoError) {
        guard let bytes = try? WholeFile.read(path, limit: 1 << 20) else {
          log.error("a calibration cannot be read", metadata: ["file": "\(path)"])
          continue
        }
        let info = try CameraInfo(yaml: String(decoding: bytes, as: UTF8.self), name: path)
        calibrations.append(
          .init(
            width: info.size?.width ?? 0, height: info.size?.height ?? 0, intrinsics: info.intrinsics, camera: camera))
      } catch {
        log.error("a calibration cannot be used", metadata: ["file": "\(path)", "problem": "\(error)"])
      }
    }
  }
}
