import ArgumentParser
import WaymarkAnchors
import WaymarkBarcodes
import WaymarkImage
import WaymarkService
import WaymarkSystem

/// Takes frames as one sequence and follows the codes in them between their readings.
struct CodesProbe: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "codes",
    abstract: "Follows codes through a sequence of frames.",
    discussion: """
      The frames are taken in the order given (folders by the names in them) as one sequence of a camera; all have one size.
      Example:
        waymark-probes codes frames/ --width 0.04
      """)

  @Argument(help: "Pictures, or folders of them, in order.", completion: .file())
  var frames: [String]

  @Option(
    help: ArgumentHelp(
      "The pinhole in pixels of the frames; else a field of view of 60° is assumed.", valueName: "fx,fy,cx,cy"))
  var intrinsics: String?

  @Option(
    help: ArgumentHelp("The width of the printed codes without quiet zone; without it no pose.", valueName: "metres"))
  var width: Double?

  @Option(help: ArgumentHelp("Follow only codes of these symbologies, separated by commas.", valueName: "list"))
  var formats: String?

  @Option(help: ArgumentHelp("Frames a second of the sequence.", valueName: "hertz"))
  var rate = 30.0

  @Option(help: ArgumentHelp("Reads codes in every so many-th frame only.", valueName: "frames"))
  var every = 1

  func validate() throws {
    guard rate > 0, rate <= 1000 else {
      throw ValidationError("--rate takes frames a second, above 0 and at most 1000")
    }
    guard every >= 1 else { throw ValidationError("--every takes a whole number from 1") }
    if let width, !(width > 0 && width <= 10) { throw ValidationError("--width takes metres, above 0 and at most 10") }
    if intrinsics != nil, pinhole == nil { throw ValidationError("--intrinsics takes four numbers fx,fy,cx,cy") }
    if let formats, symbologies.count != formats.split(separator: ",").count {
      throw ValidationError("--formats takes symbologies, separated by commas")
    }
  }

  private var pinhole: CameraIntrinsics? {
    let numbers = (intrinsics ?? "").split(separator: ",").compactMap { Double($0) }
    return numbers.count == 4 ? CameraIntrinsics(fx: numbers[0], fy: numbers[1], cx: numbers[2], cy: numbers[3]) : nil
  }

  private var symbologies: [Symbology] {
    (formats ?? "").split(separator: ",").compactMap { Symbology(name: String($0)) }
  }

  func run() throws {
    var scanner = try BarcodeScanner(.live(formats == nil ? Symbology.common : Set(symbologies)))
    var follower: CodeFollower?
    for (number, name) in try Probes.files(frames).enumerated() {
      let picture = try PictureDecoder().gray(PictureFile.read(name)).image
      let current =
        follower ?? CodeFollower(intrinsics: pinhole ?? CameraIntrinsics(assumedFor: picture.width, picture.height))
      follower = current
      let time = Double(number) / rate
      let began = ProcessorClock.process
      let symbols = number % every == 0 ? picture.withView { scanner.scan($0).symbols } : []
      let read = ProcessorClock.process
      let reading = CodeFollower.Reading(
        frame: picture, time: time, sightings: symbols.map { CodeDetection($0, physicalWidth: width) })
      let report = picture.withView { current.process($0, at: time, read: reading) }
      try Probes.record(
        CodeFrameRecord(
          input: name, reading: read - began, following: ProcessorClock.process - read,
          codes: report.observations.map(CodeFrameRecord.Code.init)))
    }
  }
}

/// The record of one frame.
private struct CodeFrameRecord: Encodable {
  struct Code: Encodable {
    var code: Int
    var symbology: String
    var text: String
    var trackingMethod: String
    var corners: [[Double]]
    var score: Double
    var pose: PoseRecord?
    var rawPose: PoseRecord?

    init(_ seen: CodeObservation) {
      code = seen.id
      symbology = seen.content.symbology
      text = String(decoding: seen.content.bytes, as: UTF8.self)
      trackingMethod = seen.trackingMethod.rawValue
      corners = seen.corners.corners.map { [$0.x, $0.y] }
      score = seen.score
      pose = seen.pose.map(PoseRecord.init)
      rawPose = seen.rawPose.map(PoseRecord.init)
    }
  }

  var input: String
  /// Seconds of processor time, the picture already gray in memory.
  var reading: Double
  var following: Double
  var codes: [Code]
}

/// A pose as the protocol writes it.
private struct PoseRecord: Encodable {
  var position: [Double]
  var orientation: [Double]
  var matrix: [Double]

  init(_ pose: Pose) {
    position = [pose.position.x, pose.position.y, pose.position.z]
    orientation = [
      pose.orientation.vector.x, pose.orientation.vector.y, pose.orientation.vector.z, pose.orientation.vector.w,
    ]
    matrix = pose.matrix
  }
}
