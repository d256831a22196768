package import WaymarkImage
import WaymarkSystem

/// Runs searches of whole frames on another thread while the engine follows anchors. The file also has `SearchJob`, one
/// such search, `SearchThread`, a runner with a thread of its own, and `LookAround`, which chooses the directions of searches.
package protocol SearchRunner: AnyObject {
  /// Starts a job. Called only when the last job is done.
  func start(_ job: SearchJob)
  /// True if no job is running.
  var isIdle: Bool { get }
  /// Waits until no job is running.
  func wait()
}

/// One search of a whole frame: the frame, the outlines already known in it, and, after `run`, the detected anchors.
///
/// `@unchecked`: from `start` until the runner is idle, only the runner's thread uses the job and its source, and otherwise only
/// the engine's thread. The runner's lock orders the two threads.
package final class SearchJob: @unchecked Sendable {
  private let source: any AnchorDetecting
  private var frame = PixelBuffer(capacity: 0)
  private var size = (width: 0, height: 0)
  private var mask = ExclusionMask()
  private var known: [Quadrilateral] = []
  private var painted: [Quadrilateral] = []
  private var copies: [DetectedAnchor] = []
  /// The time of capture of the frame, in seconds.
  package private(set) var time = 0.0
  package private(set) var detections: [DetectedAnchor] = []

  package init(source: any AnchorDetecting) { self.source = source }

  /// Copies a frame and the outlines of the followed anchors in it: `known` without the lens distortion, `painted` with the
  /// distortion. `copies` are the followed copies, beside which there may be further copies.
  package func load(
    _ view: ImageView, at time: Double, known: [Quadrilateral], painted: [Quadrilateral],
    beside copies: [DetectedAnchor]
  ) {
    size = (view.width, view.height)
    self.time = time
    if frame.capacity < view.width * view.height { frame = PixelBuffer(capacity: view.width * view.height) }
    for y in 0..<view.height { (frame.bytes + y * view.width).update(from: view.row(y), count: view.width) }
    self.known.removeAll(keepingCapacity: true)
    self.known.append(contentsOf: known)
    self.painted.removeAll(keepingCapacity: true)
    self.painted.append(contentsOf: painted)
    self.copies.removeAll(keepingCapacity: true)
    self.copies.append(contentsOf: copies)
  }

  /// Searches the copied frame, with the followed anchors painted over, and sets `detections`.
  package func run() {
    GrayImage(width: size.width, height: size.height, buffer: frame).withView { view in
      detections = mask.paint(view, painted) { source.detections(in: $0, known: known, beside: copies) }
    }
  }

  func clear() { detections = [] }
}

/// Runs searches one at a time on a thread of its own, which ends with the object.
package final class SearchThread: SearchRunner {
  private struct State {
    var job: SearchJob?
    var isBusy = false
    var isStopping = false
  }

  private let state: Monitor<State>
  private let thread = WorkerThread(name: "wm-search")

  package init() {
    let state = Monitor(State())
    self.state = state
    thread.start { _ in
      while true {
        let next: SearchJob?? = state.wait { state -> SearchJob?? in
          if state.isStopping { return .some(nil) }
          guard let job = state.job else { return nil }
          state.job = nil
          return job
        }
        guard let job = next ?? nil else { return }
        job.run()
        state.update { $0.isBusy = $0.job != nil }
      }
    }
  }

  deinit {
    state.update { $0.isStopping = true }
    thread.stop()
  }

  package func start(_ job: SearchJob) {
    state.update { state in
      state.isBusy = true
      state.job = job
    }
  }

  package var isIdle: Bool { state.withLock { !$0.isBusy } }

  package func wait() { state.wait { $0.isBusy ? nil : () } }
}

/// Decides when a search looks for anchors from another direction. If nothing has been found for two seconds, every fourth search
/// does so, each from the next direction.
///
/// A search from a direction takes as long as a search of the frame as it is, so a frame costs no more than before.
struct LookAround {
  private static let patience = 2.0
  private static let interval = 4

  /// The time in seconds since which nothing is followed; `nil` before the first search, and while something is.
  private var start: Double?
  private var searches = 0

  /// Returns the direction of the search at `time` as an index in `TiltedFrames.views`, counted round; `nil` if the search is
  /// of the frame as it is.
  ///
  /// - Parameter isEmpty: True if no anchor is followed.
  mutating func direction(at time: Double, isEmpty: Bool) -> Int? {
    guard isEmpty else {
      start = nil
      return nil
    }
    guard let start else {
      start = time
      return nil
    }
    guard time - start >= Self.patience else { return nil }
    searches += 1
    guard searches % Self.interval == 0 else { return nil }
    // Successive directions are far apart: the number of them and 15 have no common divisor.
    return searches / Self.interval * 15
  }
}
