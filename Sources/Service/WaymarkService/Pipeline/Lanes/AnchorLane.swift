import Glibc
package import WaymarkAnchors
package import WaymarkFrames
import WaymarkImage
import WaymarkScenes
import WaymarkSystem

/// The lane that looks for anchors: luma in, places out.
package typealias AnchorLane = Lane<AnchorTask, AnchorReading>

/// The task of the anchor lane.
package struct AnchorTask: Sendable {
  /// The pictures; none: only codes are looked for.
  package var library: AnchorLibrary?
  /// How many copies of each picture are followed.
  package var copies: AnchorCopies
  /// The codes that are anchors; of several that a code fits, the first one has it.
  package var codes: [AnchorCode]
  /// How the camera maps directions to pixels.
  package var cameras: CameraChoice
  /// Rises with every change; readings carry it, so that late ones can be told.
  package var generation: Int

  package init(
    library: AnchorLibrary? = nil, copies: AnchorCopies = AnchorCopies(), codes: [AnchorCode] = [],
    cameras: CameraChoice = CameraChoice(), generation: Int = 0
  ) {
    self.library = library
    self.copies = copies
    self.codes = codes
    self.cameras = cameras
    self.generation = generation
  }
}

extension Lane where Settings == AnchorTask, Output == AnchorReading {
  /// A lane that is off until there is something to look for.
  ///
  /// - Parameters:
  ///   - mailbox: where the codes are that the barcode lane has read.
  ///   - learner: learns from what is followed, where the camera has no calibration.
  ///   - deliver: receives what every frame gave, also when that is nothing, on the lane's thread.
  package static func anchors(
    from mailbox: CodeMailbox = CodeMailbox(), learner: LensLearner = LensLearner(), maximumRate: Double? = nil,
    deliver: @escaping @Sendable (AnchorReading, Frame) -> Void
  ) -> AnchorLane {
    let stages = StageTimes()
    return AnchorLane(
      name: "anchors", settings: AnchorTask(), maximumRate: maximumRate, stages: stages,
      makeWork: {
        let seeker = AnchorProcessor(mailbox, learner, stages: stages)
        return { seeker.look($0, $1) }
      }, deliver: deliver)
  }
}

/// Keeps the engines between frames; lives on the lane's thread.
private final class AnchorProcessor {
  private let mailbox: CodeMailbox
  private let stages: StageTimes
  private var engine: AnchorEngine?
  private var lens: LaneLens<SightKey>
  /// The number of the last copy that an engine took up: the next one goes on from there.
  private var lastCopy = 0
  private var codes: AnchorCodeFollower?
  private var generation: Int?
  private var size = (width: 0, height: 0)
  private var sizes: [Point2] = []
  /// Where there is a second core, what is followed does not wait while the whole frame is searched.
  private let runner: SearchThread? = sysconf(Int32(_SC_NPROCESSORS_ONLN)) > 1 ? SearchThread() : nil

  init(_ mailbox: CodeMailbox, _ learner: LensLearner, stages: StageTimes) {
    self.mailbox = mailbox
    lens = LaneLens(learner)
    self.stages = stages
  }

  func look(_ frame: Frame, _ task: AnchorTask) -> AnchorReading? {
    guard task.library != nil || !task.codes.isEmpty else {
      lastCopy = engine?.lastCopy ?? lastCopy
      engine = nil
      codes = nil
      generation = nil
      return nil
    }
    let startsOver = generation != task.generation || size != (frame.width, frame.height)
    if lens.changes(for: frame, of: task.cameras, startsOver: startsOver) {
      generation = task.generation
      size = (frame.width, frame.height)
      lastCopy = engine?.lastCopy ?? lastCopy
      engine = task.library.map { engine($0, task.copies, lens.intrinsics) }
      sizes = task.library?.references.map { Point2(Double($0.width), Double($0.height)) } ?? []
      codes = task.codes.isEmpty ? nil : AnchorCodeFollower(task.codes, intrinsics: lens.intrinsics)
    }
    let began = MonotonicClock.now
    var seen = engine.map { pictures($0, frame) } ?? []
    if let codes { seen += codes.follow(frame, read: mailbox.take()) }
    lens.learn(
      from: seen.lazy.filter { $0.hasExactProportions && $0.ambiguous == nil }.map { ($0.key, $0.placement) },
      in: frame, isIdle: seen.isEmpty)
    let elapsed = MonotonicClock.now - began
    return AnchorReading(sightings: seen, intrinsics: lens.intrinsics, generation: task.generation, elapsed: elapsed)
  }

  private func engine(_ library: AnchorLibrary, _ copies: AnchorCopies, _ intrinsics: CameraIntrinsics) -> AnchorEngine
  {
    // A picture that comes back into view while another one is followed must be found within a fifth of a second.
    var options = AnchorEngine.Options()
    options.searchInterval = 0.12
    options.copies = copies
    let engine = AnchorEngine(
      source: AnchorDetector(library: library, templates: 24), intrinsics: intrinsics, options: options,
      runner: runner)
    engine.stages = stages
    engine.lastCopy = lastCopy
    return engine
  }

  private func pictures(_ engine: AnchorEngine, _ frame: Frame) -> [AnchorDetection] {
    let report = frame.image.withView { engine.process($0, at: frame.captured) }
    // Anchors that the engine only remembers are left out: whether an anchor is there is for the session to say.
    return report.observations.filter { $0.trackingMethod == .fullTracking }.map { seen in
      AnchorDetection(
        anchor: seen.name, copy: seen.copy, seen.placement, hasExactProportions: seen.cylinder == nil,
        outline: seen.cylinder?.outline ?? [],
        ambiguous: seen.ambiguous)
    }
  }
}
