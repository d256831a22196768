import ArgumentParser
import FoundationEssentials
import WaymarkAnchors
import WaymarkImage
import WaymarkProtocol
import WaymarkService
import WaymarkSystem

/// `waymark anchors match` and, below, `waymark anchors track`: find anchors in single pictures, and follow them
/// through a sequence.
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
      }.map(PoseValue.init)
      return MatchRecord.Anchor(
        name: reference.name, corners: corners.corners.map { [$0.x, $0.y] },
        outline: detection.cylinder?.outline.map { [$0.x, $0.y] }, homography: map.rowMajor,
        inliers: detection.inliers, score: detection.score, pose: pose, rawPose: pose, trackingMethod: "fullTracking",
        ambiguous: detection.isAmbiguous ? detection.rivals.map { detector.library.references[$0].name } : nil)
    }
    return MatchRecord(input: name, elapsed: ProcessorClock.process - start, anchors: anchors)
  }
}

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
          // Frames of another size come from another mode of the camera: the engine starts over.
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
  /// Creates the record of an anchor observed by the engine.
  init(_ seen: AnchorObservation) {
    self.init(
      name: seen.name, copy: seen.copy, corners: seen.corners.corners.map { [$0.x, $0.y] },
      outline: seen.cylinder?.outline.map { [$0.x, $0.y] }, homography: seen.homography.rowMajor,
      uncertainty: seen.uncertainty.map { [$0.x, $0.y, $0.z, $0.w] }, inliers: seen.inliers, score: seen.score,
      pose: seen.pose.map(PoseValue.init),
      rawPose: seen.rawPose.map(PoseValue.init), trackingMethod: seen.trackingMethod.rawValue,
      ambiguous: seen.ambiguous)
  }
}

/// The option for the number of copies of each anchor that a command reports.
struct CopiesOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Copies of each anchor to report in a frame, at most \(AnchorCopies.most), which also limits all anchors together.",
      valueName: "n"))
  var copies = 1

  func validate() throws {
    guard (1...AnchorCopies.most).contains(copies) else {
      throw ValidationError("--copies takes a number from 1 to \(AnchorCopies.most)")
    }
  }
}
