package import WaymarkAnchors
package import WaymarkBarcodes
package import WaymarkFrames
package import WaymarkImage
import WaymarkSystem
import WaymarkWorker

/// The lane that reads codes in the luma of frames, and delivers their symbols. `CodeLane` below follows the codes from frame to
/// frame with `CodeProcessor`; `CodeMailbox` passes it the symbols that were read.
package typealias BarcodeLane = Lane<ScanConfiguration, ScanReading>

extension Lane where Settings == ScanConfiguration, Output == ScanReading {
  /// Creates a lane that is off until codes are requested.
  ///
  /// - Parameters:
  ///   - configuration: the symbologies to read; can be changed at any time through `settings`.
  ///   - maximumRate: the maximum number of frames read per second; nil for all.
  ///   - makeReading: creates the work, on the lane's thread; by default codes are read on this thread.
  ///   - deliver: receives the reading of each frame, even if it is empty, on the lane's thread.
  package static func barcodes(
    configuration: ScanConfiguration = .live(), maximumRate: Double? = nil,
    makeReading: @escaping @Sendable (StageTimes) -> Work = { Isolation.none.codeReading(stages: $0) },
    deliver: @escaping @Sendable (ScanReading, Frame) -> Void
  ) -> BarcodeLane {
    let stages = StageTimes()
    return BarcodeLane(
      name: "barcode", settings: configuration, maximumRate: maximumRate, stages: stages,
      makeWork: { makeReading(stages) }, deliver: deliver)
  }
}

// MARK: - Following codes

/// Passes the newest reading of the barcode lane to another lane.
package final class CodeMailbox: Sendable {
  private struct State: Sendable {
    var isOpen = false
    var newest: (symbols: [Symbol], frame: Frame)?
  }

  private let state = Monitor(State())

  package init() {}

  /// Sets whether readings are kept. Closing also removes the current reading.
  package func setOpen(_ isOpen: Bool) {
    state.withLock { $0 = State(isOpen: isOpen) }
  }

  /// Replaces the current reading with the symbols of a frame; ignored while closed or without symbols.
  package func put(_ symbols: [Symbol], _ frame: Frame) {
    state.withLock { if $0.isOpen, !symbols.isEmpty { $0.newest = (symbols, frame) } }
  }

  func take() -> (symbols: [Symbol], frame: Frame)? {
    state.withLock { state in
      defer { state.newest = nil }
      return state.newest
    }
  }
}

/// The lane that follows codes in the luma of frames between their readings, and delivers their positions. It receives the read
/// codes from the barcode lane through a `CodeMailbox`.
package typealias CodeLane = Lane<CodeTask, CodeReading>

/// The settings of a `CodeLane`.
package struct CodeTask: Sendable {
  /// The printed width of codes, selected by their symbology and a prefix of their text; nil selects any.
  package struct Size: Hashable, Sendable {
    package var symbology: Symbology?
    package var prefix: String?
    /// The width in metres, without the quiet zone.
    package var width: Double

    func fits(_ symbol: Symbol) -> Bool {
      symbology.map { $0 == symbol.symbology } != false && prefix.map { symbol.text.hasPrefix($0) } != false
    }
  }

  /// The calibrations and the field of view of the camera.
  package var cameras = CameraChoice()
  /// The sizes of codes; the first that fits a code applies.
  package var sizes: [Size] = []
  /// Increases with every change that requires following to start over. Readings contain this number, so that readings of an
  /// earlier task can be ignored.
  package var generation = 0
}

/// The result of a `CodeLane` for one frame.
package struct CodeReading: Sendable {
  package var report: CodeFollower.Report
  /// The symbols of the codes that are new, by the numbers of the codes.
  package var found: [Int: Symbol]
  package var intrinsics: CameraIntrinsics
  /// The `generation` of the task.
  package var generation: Int
}

extension Lane where Settings == CodeTask, Output == CodeReading {
  /// Creates a lane that is off until a client follows codes.
  ///
  /// - Parameters:
  ///   - lane: the index of the lane among the `lanes` of the device, so that different lanes give codes different numbers.
  ///   - learner: learns the focal length from the followed codes if the camera has no calibration.
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

/// The lane's work on frames. It keeps the follower between frames. Used only on the lane's thread.
private final class CodeProcessor {
  private let mailbox: CodeMailbox
  private let (first, step): (Int, Int)
  private var lens: LaneLens<Int>
  private var follower: CodeFollower?
  private var generation: Int?
  private var size = (width: 0, height: 0)
  /// The symbols that were read recently, by their contents.
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
      // Limits the memory; the symbols of this reading are added again below.
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

extension CodeDetection {
  /// Creates the detection of a symbol that was read, for a follower.
  ///
  /// - Parameter physicalWidth: the width of the printed symbol in metres, without its quiet zone; `nil` if unknown.
  package init(_ symbol: Symbol, physicalWidth: Double? = nil) {
    let grids = symbol.symbology.moduleGrids.map { SIMD2($0.columns, $0.rows) }
    self.init(
      content: Content(symbology: symbol.symbology.rawValue, bytes: symbol.bytes), corners: symbol.corners,
      grids: grids, isLinear: !symbol.symbology.isMatrix,
      // A symbol with error correction is accepted after one reading, as in an armed scan.
      isCertain: symbol.symbology.isMatrix, physicalWidth: physicalWidth)
  }
}
