import ArgumentParser
import Foundation
import WaymarkAnchors
import WaymarkGeometry
import WaymarkImage

/// `waymark anchors track`: the frames as one sequence, detection handing over to tracking.
struct AnchorsTrackCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "track",
    abstract: "Follows the anchors of a library through a sequence of frames.",
    discussion: """
      The frames are taken in the order given (folders by the names in them) as one sequence of a camera. Ends with 0 \
      when at least one anchor was found, 1 when none was, 65 or 66 when a picture or the library cannot be read.
      """)

  @Argument(help: "The library.", completion: .file())
  var library: String

  @Argument(help: "Pictures, or folders of them, in order.", completion: .file())
  var frames: [String]

  @OptionGroup var camera: CameraOptions

  @Option(help: ArgumentHelp("Frames a second of the sequence.", valueName: "hertz"))
  var rate = 30.0

  @Flag(help: "One JSON object a frame.")
  var json = false

  func validate() throws {
    guard rate > 0, rate <= 1000 else {
      throw ValidationError("--rate takes frames a second, above 0 and at most 1000")
    }
  }

  func run() async throws {
    do {
      let library = try AnchorLibrary(path: library)
      let intrinsics = try camera.resolve()
      var engine: (value: AnchorEngine, width: Int, height: Int)?
      var status = ExitStatus.nothingFound
      var worst = ExitStatus.success
      for (number, input) in ScanInput.expand(frames).enumerated() {
        do {
          let picture = try PictureDecoder().gray(input.read()).image
          let current: AnchorEngine
          if let engine, engine.width == picture.width, engine.height == picture.height {
            current = engine.value
          } else {
            // Another size is another mode of the camera: everything begins anew.
            current = AnchorEngine(library: library, intrinsics: intrinsics(picture.width, picture.height))
            engine = (current, picture.width, picture.height)
          }
          let start = ProcessorTime.seconds
          let report = picture.withView { current.process($0, at: Double(number) / rate) }
          let elapsed = ProcessorTime.seconds - start
          let record = MatchRecord(
            input: input.name, elapsed: elapsed, anchors: report.observations.map(MatchRecord.Anchor.init))
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

  private func tell(_ record: MatchRecord) throws {
    guard !json else { return Output.line(try record.json()) }
    if record.anchors.isEmpty { return Output.line("\(record.input): nothing found") }
    for a in record.anchors {
      let places = a.corners.map { "(\(Int($0[0].rounded())), \(Int($0[1].rounded())))" }.joined(separator: " ")
      let distance = a.pose.map { pose in
        let d = (pose.position.map { $0 * $0 }.reduce(0, +)).squareRoot()
        return ", \(String(format: "%.3f", d)) m away"
      }
      let held = a.trackingMethod == AnchorObservation.TrackingMethod.fullTracking.rawValue ? "" : " (last known place)"
      Output.line(
        "\(record.input): \(a.name) at \(places), score \(String(format: "%.2f", a.score))\(distance ?? "")\(held)")
    }
  }
}

extension MatchRecord.Anchor {
  /// What the engine says of an anchor.
  init(_ seen: AnchorObservation) {
    self.init(
      name: seen.name, corners: seen.corners.corners.map { [$0.x, $0.y] }, homography: seen.homography.rowMajor,
      inliers: seen.inliers, score: seen.score, pose: seen.pose.map(MatchRecord.PoseRecord.init),
      rawPose: seen.rawPose.map(MatchRecord.PoseRecord.init), trackingMethod: seen.trackingMethod.rawValue)
  }
}
