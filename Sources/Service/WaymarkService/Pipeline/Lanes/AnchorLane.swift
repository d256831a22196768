import Glibc
package import WaymarkAnchors
import WaymarkBarcodes
package import WaymarkFrames
package import WaymarkImage
import WaymarkOnboarding
package import WaymarkScenes
import WaymarkSystem

/// The lane that finds and follows anchors in the luma of frames, and delivers their positions. Its work on frames is
/// below: `AnchorProcessor` for pictures, `AnchorCodeFollower` for codes that are anchors.
package typealias AnchorLane = Lane<AnchorTask, AnchorReading>

/// The settings of an `AnchorLane`: the anchors to follow.
package struct AnchorTask: Sendable {
  /// The pictures to search for; nil if all anchors are codes.
  package var library: AnchorLibrary?
  /// The number of copies of each picture that are followed.
  package var copies = AnchorCopies()
  /// The anchors that are codes. A code in view that matches several of them is assigned to the first.
  package var codes: [AnchorCode] = []
  /// The calibrations and the field of view of the camera.
  package var cameras = CameraChoice()
  /// Increases with every change of the task. Readings contain this number, so that readings of an earlier task can be ignored.
  package var generation = 0
}

extension Lane where Settings == AnchorTask, Output == AnchorReading {
  /// Creates a lane that is off until it is enabled.
  ///
  /// - Parameters:
  ///   - mailbox: contains the codes that the barcode lane has read.
  ///   - learner: learns the focal length from the followed anchors if the camera has no calibration.
  ///   - deliver: receives the reading of each frame, even if it is empty, on the lane's thread.
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

/// The lane's work on frames. It keeps the engines between frames. Used only on the lane's thread.
private final class AnchorProcessor {
  private let mailbox: CodeMailbox
  private let stages: StageTimes
  private var engine: AnchorEngine?
  private var lens: LaneLens<AnchorKey>
  /// The last number that the previous engine gave to a copy; the next engine continues from there.
  private var lastCopy = 0
  private var codes: AnchorCodeFollower?
  private var generation: Int?
  private var size = (width: 0, height: 0)
  private var sizes: [Point2] = []
  /// The thread that searches whole frames while anchors are followed; nil with a single core.
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
    var seen = engine.map { pictures($0, frame) } ?? []
    if let codes { seen += codes.follow(frame, read: mailbox.take()) }
    lens.learn(
      from: seen.lazy.filter { $0.hasExactProportions && $0.ambiguous == nil }.map { ($0.key, $0.placement) },
      in: frame, isIdle: seen.isEmpty)
    return AnchorReading(sightings: seen, intrinsics: lens.intrinsics, generation: task.generation)
  }

  private func engine(_ library: AnchorLibrary, _ copies: AnchorCopies, _ intrinsics: CameraIntrinsics) -> AnchorEngine
  {
    // If a picture comes back into view while another is followed, it has to be found within 0.2 seconds.
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
    // Only anchors visible in this frame are reported; the session decides how long anchors that are out of view count as present.
    return report.observations.filter { $0.trackingMethod == .fullTracking }.map { seen in
      AnchorDetection(
        anchor: seen.name, copy: seen.copy, seen.placement, hasExactProportions: seen.cylinder == nil,
        outline: seen.cylinder?.outline ?? [],
        ambiguous: seen.ambiguous)
    }
  }
}

/// The result of an `AnchorLane` for one frame.
package struct AnchorReading: Sendable {
  /// The anchors that are visible in this frame.
  package var sightings: [AnchorDetection]
  /// The intrinsics with which the poses were computed.
  package var intrinsics: CameraIntrinsics
  /// The `generation` of the task.
  package var generation: Int
}

/// An anchor that is a code instead of a picture.
package struct AnchorCode: Hashable, Sendable {
  package var anchor: String
  package var code: SceneCode
  /// The printed width of the code in metres, without the quiet zone; `nil` if unknown.
  package var physicalWidth: Double?
}

/// Follows the codes that are anchors, in the same frames in which the pictures are searched for. Not thread-safe.
final class AnchorCodeFollower {
  private let codes: [AnchorCode]
  private let follower: CodeFollower
  /// The symbols that were read, with the indices of their anchors in `codes`.
  private var symbols: [CodeDetection.Content: (symbol: Symbol, index: Int)] = [:]
  /// The number of the followed code that is assigned to each anchor, by the anchor's index. The assigned code is the first
  /// matching code in view, until it is lost.
  private var holders: [Int: Int] = [:]

  init(_ codes: [AnchorCode], intrinsics: CameraIntrinsics) {
    self.codes = codes
    follower = CodeFollower(intrinsics: intrinsics)
  }

  /// Returns the anchors that are visible in a frame.
  ///
  /// - Parameter read: the symbols that the barcode lane has read since the last call, and the frame in which it read them.
  func follow(_ frame: Frame, read: (symbols: [Symbol], frame: Frame)?) -> [AnchorDetection] {
    let reading = read.map { symbols, frame in
      CodeFollower.Reading(frame: frame.image, time: frame.captured, sightings: symbols.compactMap(sighting))
    }
    let report = frame.image.withView { follower.process($0, at: frame.captured, read: reading) }
    holders = holders.filter { holder in report.observations.contains { $0.id == holder.value } }
    return report.observations.compactMap { seen in
      guard let (symbol, index) = symbols[seen.content] else { return nil }
      let holder = holders[index] ?? seen.id
      holders[index] = holder
      // Only anchors visible in this frame are reported; the session decides how long anchors that are out of view count as
      // present.
      guard holder == seen.id, seen.trackingMethod == .fullTracking else { return nil }
      return AnchorDetection(
        anchor: codes[index].anchor, seen.placement, hasExactProportions: seen.isDrawn, code: symbol)
    }
  }

  /// Returns the detection to follow for a symbol; nil if no anchor has the symbol.
  private func sighting(_ symbol: Symbol) -> CodeDetection? {
    var sighting = CodeDetection(symbol)
    let index: Int
    if let known = symbols[sighting.content] {
      index = known.index
    } else {
      let elements = symbol.gs1.isEmpty ? Self.linked(symbol) : symbol.gs1
      guard let first = codes.firstIndex(where: { $0.code.fits(symbol, elements: elements) }) else { return nil }
      if symbols.count >= 256 { symbols = symbols.filter { entry in holders[entry.value.index] != nil } }
      index = first
    }
    symbols[sighting.content] = (symbol, index)
    sighting.physicalWidth = codes[index].physicalWidth
    return sighting
  }

  /// Returns the public GS1 elements in the symbol's GS1 Digital Link; empty without such a link.
  private static func linked(_ symbol: Symbol) -> [GS1Element] {
    guard let address = WebAddress(symbol.text), let payload = GS1DigitalLink.payload(of: address) else { return [] }
    return payload.fields.filter { GS1DigitalLink.isPublic($0.name) }
      .map { GS1Element(identifier: $0.name, value: $0.value) }
  }
}
