import ArgumentParser
import Foundation
import WaymarkDocuments
import WaymarkFrames
import WaymarkImage
import WaymarkProtocol
import WaymarkService
import WaymarkStation
import WaymarkSystem

/// Runs the live page capture on pictures, without a camera and a service.
struct PagesProbe: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pages",
    abstract: "Play pictures as frames and print which pages are captured automatically.",
    discussion: """
      Prints one JSON object a frame: where the page is, for how long it has been still, advice for the user, and when \
      it is captured. Time is that of the frames, however long they take.
      Example:
        waymark-probes pages frames/ --rate 10
      """)

  @Argument(help: ArgumentHelp("Pictures or folders, in the order of their names.", valueName: "picture"))
  var inputs: [String]

  @Option(help: ArgumentHelp("Frames a second.", valueName: "number"))
  var rate = 15.0

  func validate() throws {
    guard !inputs.isEmpty else { throw ValidationError("Name at least one picture or folder.") }
    guard rate > 0, rate <= 240 else { throw ValidationError("--rate takes a number above 0, at most 240.") }
  }

  func run() throws {
    let models = try PageModels.load()
    let colours = FrameColours(models)
    // Captured pages are settled below, in the picture that the frame was made of.
    let seeker = PageTracker(models, colours: PageColours(find: { colours.place($1) }, settle: { _, _ in nil }))
    let (decoder, detector) = (PictureDecoder(), PageDetector(models))
    // The frame that is taken is one of those while the page was held.
    var recent: [(sequence: UInt64, bytes: [UInt8])] = []
    for (index, name) in try Probes.files(inputs).enumerated() {
      let bytes = try PictureFile.read(name)
      let image = try decoder.gray(bytes).image
      colours.show(bytes)
      let frame = Frame(origin: .folder, sequence: UInt64(index), captured: Double(index) / rate, image: image)
      recent.append((frame.sequence, bytes))
      if recent.count > Self.keptFrames { recent.removeFirst() }
      let began = ProcessorClock.thread
      guard var reading = seeker.look(frame, DocumentTask(generation: 1)) else { continue }
      let elapsed = ProcessorClock.thread - began
      if let shot = reading.shot, let near = shot.outline,
        let taken = recent.last(where: { $0.sequence == shot.sequence }),
        let picture = try? decoder.rgb(taken.bytes).image
      {
        reading.shot?.outline = detector.settle(picture, near: near)?.outline ?? near
      }
      if reading.phase != .holding { recent.removeAll() }
      try Probes.record(Record(frame: index, elapsed: elapsed, reading))
    }
  }

  private static let keptFrames = 256

  /// The colours of the frame at hand, for where luma does not show the page.
  private final class FrameColours: Sendable {
    private let picture = Monitor<[UInt8]>([])
    private let models: PageModels

    init(_ models: PageModels) { self.models = models }

    func show(_ bytes: [UInt8]) { picture.update { $0 = bytes } }

    func place(_ near: Quadrilateral?) -> PageLocation? {
      guard let image = try? PictureDecoder().rgb(picture.withLock { $0 }).image else { return nil }
      let detector = PageDetector(models)
      let page = near.map { detector.follow(image, from: $0) } ?? detector.detect(image)
      return page.map {
        PageLocation(outline: $0.outline, bends: nil, score: $0.score, width: image.width, height: image.height)
      }
    }
  }

  private struct Record: Encodable {
    struct Shot: Encodable {
      var frame: Int
      var corners: [[Double]]?
    }

    var frame: Int
    /// Seconds of processor time.
    var elapsed: Double
    var phase: String
    var corners: [[Double]]?
    var score: Double
    var progress: Double
    var advice: String?
    var captured: Shot?

    init(frame: Int, elapsed: Double, _ reading: DocumentReading) {
      func list(_ outline: Quadrilateral?) -> [[Double]]? { outline?.corners.map { [$0.x, $0.y] } }
      self.frame = frame
      self.elapsed = elapsed
      phase = reading.phase.rawValue
      corners = list(reading.outline)
      score = reading.score
      progress = reading.progress
      advice = reading.advice?.rawValue
      captured = reading.shot.map { Shot(frame: Int($0.sequence), corners: list($0.outline)) }
    }
  }
}
