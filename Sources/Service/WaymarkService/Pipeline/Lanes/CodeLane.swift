package import WaymarkAnchors
package import WaymarkBarcodes
package import WaymarkFrames
package import WaymarkImage
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
  private let (first, step): (Int, Int)
  private var lens: LaneLens<Int>
  private var follower: CodeFollower?
  private var generation: Int?
  private var size = (width: 0, height: 0)
  /// The contents of the codes that were read lately.
  private var symbols: [CodeDetection.Content: Symbol] = [:]

  init(_ mailbox: CodeMailbox, _ learner: LensLearner, first: Int, step: Int) {
    self.mailbox = mailbox
    lens = LaneLens(learner)
    (self.first, self.step) = (first, step)
  }

  func follow(_ frame: Frame, _ task: CodeTask) -> CodeReading? {
    var gone: [(id: Int, lastSeen: Double)] = []
    let startsOver = generation != task.generation || size != (frame.width, frame.height)
    if lens.changes(for: frame, of: task.cameras, startsOver: startsOver) {
      if generation == task.generation, let follower { gone = follower.reset() }
      generation = task.generation
      size = (frame.width, frame.height)
      follower = CodeFollower(intrinsics: lens.intrinsics, first: follower?.next ?? first, step: step)
      symbols = [:]
    }
    guard let follower else { return nil }
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
    lens.learn(
      from: report.observations.lazy.filter { $0.isDrawn && $0.trackingMethod == .fullTracking }
        .map { ($0.id, $0.placement) },
      in: frame, isIdle: report.observations.isEmpty)
    var found: [Int: Symbol] = [:]
    for seen in report.observations where report.found.contains(seen.id) { found[seen.id] = symbols[seen.content] }
    return CodeReading(report: report, found: found, intrinsics: lens.intrinsics, generation: task.generation)
  }
}
