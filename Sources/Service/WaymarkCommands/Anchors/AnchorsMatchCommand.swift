import ArgumentParser
import FoundationEssentials
import WaymarkAnchors
import WaymarkImage
import WaymarkProtocol
import WaymarkScenes
import WaymarkService
import WaymarkSystem

/// `waymark anchors match` and, below, `waymark anchors track`: find anchors in single pictures, and follow them
/// through a sequence. The file also has their options (`CameraOptions`), frames (`AnchorFrames`) and printed result.
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

  @Option(
    help: ArgumentHelp(
      "quick, or thorough: a picture in which nothing is found is searched from other directions, which takes thirty times as long.",
      valueName: "effort"))
  var effort = Effort.quick

  /// How long a picture is searched.
  enum Effort: String, ExpressibleByArgument, CaseIterable { case quick, thorough }

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
    let detections = picture.withView {
      effort == .thorough ? detector.detectFromAllSides($0) : detector.detect($0)
    }
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
          // A frame of another size comes from another mode of the camera, so tracking starts with a new engine.
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

// MARK: - Frames

/// The common part of the commands that search frames for anchors: reading the frames, printing, the exit status.
enum AnchorFrames {
  /// Searches the pictures one after the other and prints the anchors found in each.
  ///
  /// - Parameters:
  ///   - names: pictures, or folders of pictures; `-` is standard input.
  ///   - prepare: returns, for the library, a function that searches a picture, given with its name.
  /// - Throws: `ExitCode` unless an anchor was found and every picture could be read; the library's failure if it is
  ///   damaged.
  static func run(
    _ names: [String], library: String, json: Bool,
    _ prepare: (AnchorLibrary) throws -> (GrayImage, String) -> MatchRecord
  ) throws {
    let library = try AnchorLibrary(path: library)
    try library.load()
    let look = try prepare(library)
    var status = ExitStatus.nothingFound
    var worst = ExitStatus.success
    for input in ScanInput.expand(names) {
      do {
        let record = look(try PictureDecoder().gray(input.read(keepsColour: false)).image, input.name)
        if !record.anchors.isEmpty { status = .success }
        try writeResult(record, json)
      } catch let error as ImageError {
        Output.diagnostic("waymark: \(input.name): \(error.message)\n  \(error.hint)")
        worst = max(worst, error.exitStatus)
      }
    }
    if let failure = library.failure { throw failure }
    if worst != .success { status = worst }
    guard status == .success else { throw ExitCode(status.rawValue) }
  }

  private static func doubt(_ rivals: [String]?) -> String {
    guard let rivals else { return "" }
    guard !rivals.isEmpty else { return " (ambiguous: a part of it is covered or another picture)" }
    return " (ambiguous: may be \(rivals.joined(separator: " or ")))"
  }

  private static func writeResult(_ record: MatchRecord, _ json: Bool) throws {
    guard !json else { return try Output.record(record) }
    if record.anchors.isEmpty { return Output.line("\(record.input): nothing found") }
    for a in record.anchors {
      let places = a.corners.map { "(\(Int($0[0].rounded())), \(Int($0[1].rounded())))" }.joined(separator: " ")
      let distance = a.pose.map { pose in
        let d = (pose.position.map { $0 * $0 }.reduce(0, +)).squareRoot()
        return ", \(d.decimals(3)) m away"
      }
      let held = a.trackingMethod == AnchorPlacement.Method.fullTracking.rawValue ? "" : " (last known place)"
      Output.line(
        "\(record.input): \(a.name)\(a.copy.map { " \($0)" } ?? "") at \(places), score \(a.score.decimals(2))\(distance ?? "")\(held)\(doubt(a.ambiguous))"
      )
    }
  }
}

/// The anchors found in one frame: the object that `--json` prints.
struct MatchRecord: Encodable {
  /// An anchor found in the frame.
  struct Anchor: Encodable {
    var name: String
    /// The number of the copy, if several copies of the anchor are followed.
    var copy: Int?
    var corners: [[Double]]
    /// The outline of the visible part of a cylinder; `nil` for other anchors.
    var outline: [[Double]]?
    var homography: [Double]
    /// The standard deviation of each corner along an axis, in pixels; `nil` if it is not known.
    var uncertainty: [Double]?
    var inliers: Int
    var score: Double
    @NullEncoded var pose: PoseValue?
    @NullEncoded var rawPose: PoseValue?
    var trackingMethod: String
    /// The names of the anchors that the match may show instead, if its identity is not proven; empty if a visible part contradicts
    /// its picture.
    var ambiguous: [String]?
  }

  var input: String
  /// The processor time that all threads spent on the search, in seconds, without reading and decoding the picture.
  var elapsed: Double
  var anchors: [Anchor]
}

// MARK: - The camera of the frames

/// Options that describe the camera of the frames.
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
      Double($0.trimmed)
    }
    guard numbers.count == 4, let fx = numbers[0], let fy = numbers[1], let cx = numbers[2], let cy = numbers[3] else {
      return nil
    }
    return CameraIntrinsics(fx: fx, fy: fy, cx: cx, cy: cy)
  }

  /// Returns a function from the size of frames to the intrinsics: the given intrinsics, or assumed ones with a field of view of
  /// 60°.
  ///
  /// - Throws: `AnchorError` if the file of `--camera-info` cannot be read, or is damaged.
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
