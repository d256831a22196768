package import WaymarkImage
import WaymarkSystem

/// Something that runs a search of the whole frame beside the following.
package protocol SearchRunner: AnyObject {
  /// Runs a job elsewhere; only called when the last one is done.
  func start(_ job: SearchJob)
  /// True if there is nothing that still runs.
  var isIdle: Bool { get }
  /// Waits until there is not.
  func wait()
}

/// One search of a whole frame: the frame, the outlines already known in it, and afterwards the claims.
///
/// `@unchecked`: while a runner has it, it and the source of claims belong to the runner's thread, otherwise to the engine's;
/// the runner's lock lies between.
package final class SearchJob: @unchecked Sendable {
  private let source: any AnchorDetecting
  private var frame = PixelBuffer(capacity: 0)
  private var size = (width: 0, height: 0)
  private var mask = ExclusionMask()
  private var known: [Quadrilateral] = []
  private var painted: [Quadrilateral] = []
  private var copies: [DetectedAnchor] = []
  /// When the frame was captured, in seconds.
  package private(set) var time = 0.0
  /// The anchors found.
  package private(set) var detections: [DetectedAnchor] = []

  package init(source: any AnchorDetecting) { self.source = source }

  /// Takes a copy of a frame, the outlines of what is known as the source and as the frame has them, and what of it may have further
  /// copies.
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

  /// Searches.
  package func run() {
    withExtendedLifetime(frame) {
      let view = ImageView(base: UnsafePointer(frame.bytes), width: size.width, height: size.height, stride: size.width)
      detections = mask.paint(view, painted) { source.detections(in: $0, known: known, beside: copies) }
    }
  }

  /// Releases what was found.
  func clear() { detections = [] }
}

/// A thread of its own for searches.
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
