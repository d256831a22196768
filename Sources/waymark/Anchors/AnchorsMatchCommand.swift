import ArgumentParser
import Foundation
import WaymarkAnchors
import WaymarkGeometry
import WaymarkImage

/// `waymark anchors match`: looks for anchors in frames, each frame alone.
struct AnchorsMatchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "match",
    abstract: "Finds the anchors of a library in pictures, each picture alone.",
    discussion: """
      Ends with 0 when at least one anchor was found, 1 when none was, 65 or 66 when a picture or the library cannot be \
      read. Poses need a physical width; without calibration a field of view of 60° is assumed.
      """)

  @Argument(help: "The library.", completion: .file())
  var library: String

  @Argument(help: "Pictures, or folders of them; - reads standard input.", completion: .file())
  var frames: [String]

  @OptionGroup var camera: CameraOptions

  @Flag(help: "One JSON object a frame.")
  var json = false

  func run() async throws {
    do {
      let library = try AnchorLibrary(path: library)
      let intrinsics = try camera.resolve()
      let detector = AnchorDetector(library: library)
      var status = ExitStatus.nothingFound
      var worst = ExitStatus.success
      for input in ScanInput.expand(frames) {
        do {
          let picture = try PictureDecoder().gray(input.read()).image
          let record = match(picture, input.name, detector, intrinsics(picture.width, picture.height))
          if !record.anchors.isEmpty { status = .success }
          try tell(record)
        } catch let error as ImageError {
          Output.diagnostic("waymark: \(input.name): \(error.message)\n  \(error.hint)")
          worst = max(worst, error.exitStatus)
        }
      }
      if worst != .success { status = worst }
      guard status == .success else { throw ExitCode(status.rawValue) }
    } catch let error as AnchorError {
      try fail(error)
    }
  }

  private func match(
    _ picture: GrayImage, _ name: String, _ detector: AnchorDetector, _ intrinsics: CameraIntrinsics
  ) -> MatchRecord {
    let start = ProcessorTime.seconds
    let lens = LensMap(intrinsics)
    detector.lens = lens
    let claims = picture.withView { detector.detect($0) }
    let anchors = claims.map { claim -> MatchRecord.Anchor in
      let reference = detector.library.references[claim.anchor]
      let straight = claim.homography.apply(
        Quadrilateral(width: Double(reference.width), height: Double(reference.height)))
      let (corners, map) =
        lens?.seen(claim.homography, width: reference.width, height: reference.height) ?? (straight, claim.homography)
      let pose = reference.physicalWidth.flatMap {
        AnchorPose.single(
          claim.homography, width: reference.width, height: reference.height, physicalWidth: $0, intrinsics)
      }.map(MatchRecord.PoseRecord.init)
      return MatchRecord.Anchor(
        name: reference.name, corners: corners.corners.map { [$0.x, $0.y] }, homography: map.rowMajor,
        inliers: claim.inliers, score: claim.score, pose: pose, rawPose: pose, trackingMethod: "fullTracking")
    }
    return MatchRecord(input: name, elapsed: ProcessorTime.seconds - start, anchors: anchors)
  }

  private func tell(_ record: MatchRecord) throws {
    guard !json else { return Output.line(try record.json()) }
    if record.anchors.isEmpty { return Output.line("\(record.input): nothing found") }
    for a in record.anchors {
      let places = a.corners.map { "(\(Int($0[0].rounded())), \(Int($0[1].rounded())))" }.joined(separator: " ")
      let distance = a.pose.map { pose in
        let d = (pose.position.map { $0 * $0 }.reduce(0, +)).squareRoot()
        return ", \(String(format: "%.3f", d)) m away"
      }
      Output.line(
        "\(record.input): \(a.name) at \(places), score \(String(format: "%.2f", a.score))\(distance ?? "")")
    }
  }
}
