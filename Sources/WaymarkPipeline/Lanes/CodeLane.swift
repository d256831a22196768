package import WaymarkAnchors
package import WaymarkBarcodes
package import WaymarkFrames
package import WaymarkGeometry
import WaymarkImage
package import WaymarkSymbologies
import WaymarkSystem

/// The lane that follows codes between their readings: luma in, places out. What was read comes from the barcode lane by a
/// `CodeMailbox`.
package typealias CodeLane = Lane<CodeTask, CodeReading>

/// The task of the code lane.
package struct CodeTask: Sendable {
  /// How large some codes are printed.
  package struct Size: Hashable, Sendable {
    package var symbology: Symbology?
    package var prefix: String?
    /// In metres, without the quiet zone.
    package var width: Double

    package init(symbology: Symbology? = nil, prefix: String? = nil, width: Double) {
      self.symbology = symbology
      self.prefix = prefix
      self.width = width
    }

    func fits(_ symbol: Symbol) -> Bool {
      symbology.map { $0 == symbol.symbology } != false && prefix.map { symbol.text.hasPrefix($0) } != false
    }
  }

  /// How the camera maps directions to pixels.
  package var cameras: CameraChoice
  /// The first that fits a code holds.
  package var sizes: [Size]
  /// Rises with every change after which everything starts over; readings carry it, so that late ones can be told.
  package var generation: Int

  package init(cameras: CameraChoice = CameraChoice(), sizes: [Size] = [], generation: Int = 0) {
    self.cameras = cameras
    self.sizes = sizes
    self.generation = generation
  }
}

/// The result of the code lane for a frame.
package struct CodeReading: Sendable {
  package var report: CodeFollower.Report
  /// The contents of the codes that are new.
  package var found: [Int: Symbol]
  package var intrinsics: CameraIntrinsics
  /// Which task of the lane it answers.
  package var generation: Int
}

extension Lane where Settings == CodeTask, Output == CodeReading {
  /// A lane that is off until somebody wants codes followed.
  ///
  /// - Parameters:
  ///   - lane: which of the `lanes` of the device it is: no two of them give a code the same number.
  ///   - learner: learns from what is followed, where the camera has no calibration.
  ///   - deliver: receives what every frame gave, also when that is nothing, on the lane's thread.
  package static func codes(
    from mailbox: CodeMailbox, lane: Int = 0, of lanes: Int = 1, learner: LensLearner = LensLearner(),
    deliver: @escaping @Sendable (CodeReading, Frame) -> Void
  ) -> CodeLane {
    CodeLane(
      name: "codes", settings: CodeTask(),
      makeWork: {
        let work = CodeProcessor(mailbox, learner, first: lane + 1, step: lanes)
        return { work.follow($0, $1) }
      }, deliver: deliver)
  }
}

/// Keeps the follower between frames; lives on the lane's thread.
private final class CodeProcessor {
  private let mailbox: CodeMailbox
  private let learner: LensLearner
  private let (first, step): (Int, Int)
  private var views = StillViews<Int>()
  /// True if the last frame showed no code that is followed.
  private var isIdle = true
  private var follower: CodeFollower?
  private var intrinsics: CameraIntrinsics?
  private var generation: Int?
  private var size = (width: 0, height: 0)
  /// The contents of the codes that were read lately.
  private var symbols: [CodeDetection.Content: Symbol] = [:]

  init(_ mailbox: CodeMailbox, _ learner: LensLearner, first: Int, step: Int) {
    self.mailbox = mailbox
    self.learner = learner
    (self.first, self.step) = (first, step)
  }

  func follow(_ frame: Frame, _ task: CodeTask) -> CodeReading? {
    var gone: [(id: Int, lastSeen: Double)] = []
    let camera = task.cameras.intrinsics(
      width: frame.width, height: frame.height, learned: learner.intrinsics(width: frame.width, height: frame.height))
    // What was learned meanwhile holds from when nothing is followed: poses do not jump.
    if generation != task.generation || size != (frame.width, frame.height) || follower == nil
      || (isIdle && camera != intrinsics)
    {
      if generation == task.generation, let follower { gone = follower.reset() }
      generation = task.generation
      size = (frame.width, frame.height)
      intrinsics = camera
      follower = CodeFollower(intrinsics: camera, first: follower?.next ?? first, step: step)
      symbols = [:]
    }
    guard let follower, let intrinsics else { return nil }
    var reading: CodeFollower.Reading?
    if let (read, frame) = mailbox.take() {
      let sightings = read.map { symbol in
        CodeDetection(symbol, physicalWidth: task.sizes.first { $0.fits(symbol) }?.width)
      }
      // Symbols that nobody follows are forgotten.
      if symbols.count > 256 { symbols = [:] }
      for (sighting, symbol) in zip(sightings, read) { symbols[sighting.content] = symbol }
      reading = CodeFollower.Reading(frame: frame.image, time: frame.captured, sightings: sightings)
    }
    var report = frame.image.withView { follower.process($0, at: frame.captured, read: reading) }
    report.lost += gone
    isIdle = report.observations.isEmpty
    let drawn = report.observations.filter { $0.isDrawn && $0.trackingMethod == .fullTracking }
    views.teach(learner, drawn.map { ($0.id, $0.placement) }, in: frame, of: task.cameras)
    var found: [Int: Symbol] = [:]
    for seen in report.observations where report.found.contains(seen.id) { found[seen.id] = symbols[seen.content] }
    return CodeReading(report: report, found: found, intrinsics: intrinsics, generation: task.generation)
  }
}
