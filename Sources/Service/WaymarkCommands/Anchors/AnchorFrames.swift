import ArgumentParser
import FoundationEssentials
import WaymarkAnchors
import WaymarkImage
import WaymarkProtocol
import WaymarkScenes
import WaymarkSystem

/// The common part of the commands that search frames for anchors: reading the frames, printing, the exit status.
enum AnchorFrames {
  /// Searches the pictures one after the other and prints the anchors found in each.
  ///
  /// - Parameters:
  ///   - names: pictures, or folders of pictures; `-` is standard input.
  ///   - prepare: returns, for the library, a function that searches a picture, given with its name.
  /// - Throws: `ExitCode` unless an anchor was found and every picture could be read.
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

/// The record of one frame.
struct MatchRecord: Encodable {
  /// One anchor in the frame.
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
    /// The other anchors that it may be, if its identity is not proven; empty if a visible part contradicts its picture.
    var ambiguous: [String]?
  }

  var input: String
  /// The seconds spent in the engine by all threads, with the picture already gray in memory.
  var elapsed: Double
  var anchors: [Anchor]
}

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

  /// Returns a function from the size of frames to the camera: as given, or assumed with a field of view of 60°.
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
