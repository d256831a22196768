package import WaymarkFrames
package import WaymarkImage
import WaymarkSystem

/// A camera as a source of frames: opened when it is started, given back when it is stopped, looked for again whenever it is
/// lost in between.
package final class CameraSource: FrameSource {
  private let settings: CameraSettings
  private let finder: CameraFinder
  private let calls: any VideoSyscalls
  private let makeDecoder: MakeFrameDecoder
  private let shared = CameraSharedState()
  private let state = SourceState()
  private let thread = WorkerThread(name: "wm-camera")

  /// A camera that is closed.
  ///
  /// - Parameters:
  ///   - settings: what is wanted of it.
  ///   - nodes: where video nodes are looked for.
  ///   - calls: how the driver is called.
  ///   - makeDecoder: makes what decodes its pictures, on the camera's thread; without, they are decoded on that thread.
  package init(
    settings: CameraSettings = CameraSettings(), nodes: VideoNodes = VideoNodes(),
    calls: any VideoSyscalls = LibV4L2(), makeDecoder: @escaping MakeFrameDecoder = { nil }
  ) {
    self.makeDecoder = makeDecoder
    self.settings = settings
    self.calls = calls
    finder = CameraFinder(nodes: nodes, calls: calls)
    shared.setWanted(settings.controls)
  }

  package var origin: FrameOrigin { .camera }
  package var device: String { shared.identity?.text ?? settings.selector.text }
  package var statistics: SourceStatistics { state.statistics }
  package var stages: StageTimes? { state.stages }
  package var controls: [SourceControl] { shared.controls }

  package func demand(_ demand: FrameDemand) { state.demand = demand }
  package func stop() { thread.stop() }

  package func start(_ sink: any FrameSink) {
    let (settings, finder, calls, shared, state) = (settings, finder, calls, shared, state)
    let makeDecoder = makeDecoder
    thread.start { stop in
      var loop = CameraLoop(
        settings: settings, finder: finder, calls: calls, shared: shared, state: state, sink: sink,
        decoder: makeDecoder())
      loop.run(until: stop)
    }
  }

  package func setControl(_ name: String, to value: Int) throws(SourceError) {
    try shared.setControl(name, to: value, device: device)
  }
}
