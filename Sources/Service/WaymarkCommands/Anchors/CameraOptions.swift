import ArgumentParser
import Foundation
import WaymarkAnchors
import WaymarkImage
import WaymarkScenes
import WaymarkSystem

/// The facts known of the camera that took the frames.
struct CameraOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The pinhole in pixels of the frames.", valueName: "fx,fy,cx,cy"))
  var intrinsics: String?

  @Option(
    help: ArgumentHelp("A calibration file of ROS or OpenCV (YAML), distortion included.", valueName: "file"),
    completion: .file(extensions: ["yaml", "yml"]))
  var cameraInfo: String?

  func validate() throws {
    if intrinsics != nil, cameraInfo != nil { throw ValidationError("Choose --intrinsics or --camera-info, not both.") }
    if let intrinsics, Self.parse(intrinsics) == nil {
      throw ValidationError("--intrinsics takes four numbers fx,fy,cx,cy, the first two above 0; not \(intrinsics)")
    }
  }

  private static func parse(_ text: String) -> CameraIntrinsics? {
    let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map {
      Double($0.trimmingCharacters(in: .whitespaces))
    }
    guard numbers.count == 4, let fx = numbers[0], let fy = numbers[1], let cx = numbers[2], let cy = numbers[3] else {
      return nil
    }
    return CameraIntrinsics(fx: fx, fy: fy, cx: cx, cy: cy)
  }

  /// The camera for frames of a size: as given, or assumed from a field of view of 60°.
  func resolve() throws -> (Int, Int) -> CameraIntrinsics {
    if let intrinsics, let camera = Self.parse(intrinsics) { return { _, _ in camera } }
    if let cameraInfo {
      guard let text = try? String(contentsOfFile: cameraInfo, encoding: .utf8) else {
        throw AnchorError(.cannotOpen, "The calibration \"\(cameraInfo)\" cannot be read.", hint: "Check the path.")
      }
      let info: CameraInfo
      do {
        info = try CameraInfo(yaml: text, name: cameraInfo)
      } catch {
        throw AnchorError(.damaged, error.message, hint: error.hint)
      }
      return { info.intrinsics(width: $0, height: $1) }
    }
    return { CameraIntrinsics(assumedFor: $0, $1) }
  }
}
