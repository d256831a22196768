import Foundation
import Logging
import WaymarkPipeline
import WaymarkScenes
import WaymarkSystem

extension ScenesModule.Settings {
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
    rate = configuration.anchorRate
    cameras.fieldOfView = configuration.camera.fieldOfView.map { $0 * .pi / 180 }
    for entry in configuration.camera.calibrations {
      // "CAMERA=FILE", or a file for any camera.
      let parts = entry.split(separator: "=", maxSplits: 1).map(String.init)
      let (camera, path) = parts.count == 2 ? (parts[0], parts[1]) : (nil, entry)
      do throws(CameraInfoError) {
        guard let bytes = try? WholeFile.read(path, limit: 1 << 20) else {
          log.error("a calibration cannot be read", metadata: ["file": "\(path)"])
          continue
        }
        let info = try CameraInfo(yaml: String(decoding: bytes, as: UTF8.self), name: path)
        cameras.calibrations.append(
          .init(
            width: info.size?.width ?? 0, height: info.size?.height ?? 0, intrinsics: info.intrinsics, camera: camera))
      } catch {
        log.error("a calibration cannot be used", metadata: ["file": "\(path)", "problem": "\(error)"])
      }
    }
  }
}
