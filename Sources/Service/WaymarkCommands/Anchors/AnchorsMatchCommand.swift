import ArgumentParser
import Foundation
import WaymarkAnchors
import WaymarkImage
import WaymarkSystem

/// `waymark anchors match`: looks for anchors in frames, each frame alone.
struct AnchorsMatchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "match",
    abstract: "Finds the anchors of a library in pictures, each picture alone.",
    discussion: """
      Ends with 0 when at least one anchor was found, 1 when none was, 65 or 66 when a picture or the library cannot be \
      read. Poses need a physical width; without calibration a field of view of 60° is assumed.
      Example:
        waymark anchors match posters.wmlib photo.jpg
      """)

  @Argument(help: "The library.", completion: .file())
  var library: String

  @Argument(help: "Pictures, or folders of them; - reads standard input.", completion: .file())
  var frames: [String]

  @OptionGroup var camera: CameraOptions

  @OptionGroup var several: CopiesOption

  @Flag(help: "One JSON object a frame.")
  var json = false

  func run() async throws {
    let intrinsics = try camera.resolve()
    try AnchorFrames.run(frames, library: library, json: json) { library in
      let detector = AnchorDetector(library: library)
      detector.copies = AnchorCopies(several.copies)
      return { picture, input in
        match(picture, input, detector, intrinsics(picture.width, picture.height))
      }
    }
  }

  private func match(
    _ picture: GrayImage, _ name: String, _ detector: AnchorDetector, _ intrinsics: CameraIntrinsics
  ) -> MatchRecord {
    let start = ProcessorClock.process
    let lens = LensMap(intrinsics)
    detector.lens = lens
    detector.intrinsics = intrinsics
    let detections = picture.withView { detector.detect($0) }
    let anchors = detections.map { detection -> MatchRecord.Anchor in
      let reference = detector.library.references[detection.anchor]
      let straight =
        detection.cylinder?.corners
        ?? detection.homography.apply(Quadrilateral(width: Double(reference.width), height: Double(reference.height)))
      var (corners, map) = (lens?.bend(straight) ?? straight, detection.homography)
      if detection.cylinder == nil, let lens,
        let seen = lens.seen(detection.homography, width: reference.width, height: reference.height)
      {
        (corners, map) = seen
      }
      let pose = reference.physicalWidth.flatMap {
        AnchorPose.single(
          detection.map, width: reference.width, height: reference.height, physicalWidth: $0, intrinsics)
      }.map(MatchRecord.PoseRecord.init)
      return MatchRecord.Anchor(
        name: reference.name, corners: corners.corners.map { [$0.x, $0.y] },
        outline: detection.cylinder?.outline.map { [$0.x, $0.y] }, homography: map.rowMajor,
        inliers: detection.inliers, score: detection.score, pose: pose, rawPose: pose, trackingMethod: "fullTracking",
        ambiguous: detection.isAmbiguous ? detection.rivals.map { detector.library.references[$0].name } : nil)
    }
    return MatchRecord(input: name, elapsed: ProcessorClock.process - start, anchors: anchors)
  }
}
