import ArgumentParser
import Foundation
import WaymarkAnchors
import WaymarkImage
import WaymarkSystem

/// `waymark anchors track`: the frames as one sequence, detection handing over to tracking.
struct AnchorsTrackCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "track",
    abstract: "Follows the anchors of a library through a sequence of frames.",
    discussion: """
      The frames are taken in the order given (folders by the names in them) as one sequence of a camera. Ends with 0 \
      when at least one anchor was found, 1 when none was, 65 or 66 when a picture or the library cannot be read.
      Example:
        waymark anchors track posters.wmlib frames/ --json
      """)

  @Argument(help: "The library.", completion: .file())
  var library: String

  @Argument(help: "Pictures, or folders of them, in order.", completion: .file())
  var frames: [String]

  @OptionGroup var camera: CameraOptions

  @Option(help: ArgumentHelp("Frames a second of the sequence.", valueName: "hertz"))
  var rate = 30.0

  @OptionGroup var several: CopiesOption

  @Flag(help: "One JSON object a frame.")
  var json = false

  func validate() throws {
    guard rate > 0, rate <= 1000 else {
      throw ValidationError("--rate takes frames a second, above 0 and at most 1000")
    }
  }

  func run() async throws {
    let intrinsics = try camera.resolve()
    var options = AnchorEngine.Options()
    options.copies = AnchorCopies(several.copies)
    try AnchorFrames.run(frames, library: library, json: json) { [options] library in
      var engine: (value: AnchorEngine, width: Int, height: Int)?
      var number = 0
      return { picture, input in
        let current: AnchorEngine
        if let engine, engine.width == picture.width, engine.height == picture.height {
          current = engine.value
        } else {
          // Another size is another mode of the camera: everything starts over.
          current = AnchorEngine(
            library: library, intrinsics: intrinsics(picture.width, picture.height), options: options)
          engine = (current, picture.width, picture.height)
        }
        let start = ProcessorClock.process
        let report = picture.withView { current.process($0, at: Double(number) / rate) }
        let elapsed = ProcessorClock.process - start
        number += 1
        return MatchRecord(
          input: input, elapsed: elapsed, anchors: report.observations.map(MatchRecord.Anchor.init))
      }
    }
  }
}

extension MatchRecord.Anchor {
  /// Describes an anchor as the engine sees it.
  init(_ seen: AnchorObservation) {
    self.init(
      name: seen.name, copy: seen.copy, corners: seen.corners.corners.map { [$0.x, $0.y] },
      outline: seen.cylinder?.outline.map { [$0.x, $0.y] }, homography: seen.homography.rowMajor,
      inliers: seen.inliers, score: seen.score, pose: seen.pose.map(MatchRecord.PoseRecord.init),
      rawPose: seen.rawPose.map(MatchRecord.PoseRecord.init), trackingMethod: seen.trackingMethod.rawValue,
      ambiguous: seen.ambiguous)
  }
}
