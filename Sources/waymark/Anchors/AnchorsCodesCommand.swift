import ArgumentParser
import WaymarkAnchors
import WaymarkBarcodes
import WaymarkGeometry
import WaymarkImage
import WaymarkPipeline
import WaymarkSymbologies
import WaymarkSystem

/// `waymark anchors codes`: the frames as one sequence, codes followed between their readings.
struct AnchorsCodesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "codes",
    abstract: "Follows codes through a sequence of frames.",
    discussion: """
      The frames are taken in the order given (folders by the names in them) as one sequence of a camera; all have one \
      size. Ends with 0 when at least one code was found, 1 when none was, 65 or 66 when a picture cannot be read.
      Example:
        waymark anchors codes frames/ --width 0.04 --json
      """)

  @Argument(help: "Pictures, or folders of them, in order.", completion: .file())
  var frames: [String]

  @OptionGroup var camera: CameraOptions

  @Option(
    help: ArgumentHelp("The width of the printed codes without quiet zone; without it no pose.", valueName: "metres"))
  var width: Double?

  @Option(
    help: ArgumentHelp("Follow only codes of these symbologies, separated by commas.", valueName: "list"),
    transform: SymbologyList.init)
  var formats: SymbologyList?

  @Option(help: ArgumentHelp("Frames a second of the sequence.", valueName: "hertz"))
  var rate = 30.0

  @Option(help: ArgumentHelp("Reads codes in every so many-th frame only.", valueName: "frames"))
  var every = 1

  @Flag(help: "One JSON object a frame.")
  var json = false

  func validate() throws {
    guard rate > 0, rate <= 1000 else {
      throw ValidationError("--rate takes frames a second, above 0 and at most 1000")
    }
    guard every >= 1 else { throw ValidationError("--every takes a whole number from 1") }
    if let width, !(width > 0 && width <= 10) { throw ValidationError("--width takes metres, above 0 and at most 10") }
  }

  func run() async throws {
    let intrinsics = try camera.resolve()
    var scanner = try BarcodeScanner(.live(formats?.symbologies ?? Symbology.common))
    var follower: CodeFollower?
    var (status, worst) = (ExitStatus.nothingFound, ExitStatus.success)
    for (number, input) in ScanInput.expand(frames).enumerated() {
      do {
        let picture = try PictureDecoder().gray(input.read(keepsColour: false)).image
        let current = follower ?? CodeFollower(intrinsics: intrinsics(picture.width, picture.height))
        follower = current
        let time = Double(number) / rate
        let began = ProcessorClock.process
        let symbols = number % every == 0 ? picture.withView { scanner.scan($0).symbols } : []
        let read = ProcessorClock.process
        let reading = CodeFollower.Reading(
          frame: picture, time: time, sightings: symbols.map { CodeDetection($0, physicalWidth: width) })
        let report = picture.withView { current.process($0, at: time, read: reading) }
        if !report.observations.isEmpty { status = .success }
        try writeResult(
          CodeFrameRecord(
            input: input.name, reading: read - began, following: ProcessorClock.process - read,
            codes: report.observations.map(CodeFrameRecord.Code.init)))
      } catch let error as ImageError {
        Output.diagnostic("waymark: \(input.name): \(error.message)\n  \(error.hint)")
        worst = max(worst, error.exitStatus)
      }
    }
    if worst != .success { status = worst }
    guard status == .success else { throw ExitCode(status.rawValue) }
  }

  private func writeResult(_ record: CodeFrameRecord) throws {
    guard !json else { return try Output.record(record) }
    if record.codes.isEmpty { return Output.line("\(record.input): nothing found") }
    for code in record.codes {
      let places = code.corners.map { "(\(Int($0[0].rounded())), \(Int($0[1].rounded())))" }.joined(separator: " ")
      Output.line("\(record.input): \(code.code) \(code.symbology) \(code.text) at \(places), \(code.trackingMethod)")
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
    var pose: MatchRecord.PoseRecord?
    var rawPose: MatchRecord.PoseRecord?

    init(_ seen: CodeObservation) {
      code = seen.id
      symbology = seen.content.symbology
      text = String(decoding: seen.content.bytes, as: UTF8.self)
      trackingMethod = seen.trackingMethod.rawValue
      corners = seen.corners.corners.map { [$0.x, $0.y] }
      score = seen.score
      pose = seen.pose.map(MatchRecord.PoseRecord.init)
      rawPose = seen.rawPose.map(MatchRecord.PoseRecord.init)
    }
  }

  var input: String
  /// Seconds of processor time, the picture already gray in memory.
  var reading: Double
  var following: Double
  var codes: [Code]
}
