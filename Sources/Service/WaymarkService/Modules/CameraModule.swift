import NIOPosix
package import WaymarkCamera
package import WaymarkFrames
package import WaymarkProtocol
package import WaymarkServer
import WaymarkSystem

/// Serves `torch` and `camera.*`: lists the attached cameras, selects one, and sets its controls.
@ServiceActor
package final class CameraModule: ServiceModule {
  /// Returns the name of the other configured camera that uses a device, given the device's identity; nil without such a camera.
  var owner: @ServiceActor (_ device: String) -> String? = { _ in nil }
  private let capture: CaptureModule
  private var settings: CameraSettings
  private let makeDecoder: MakeFrameDecoder
  private var hasTorch = false
  /// The search for cameras in progress; simultaneous requests share it.
  private var search: Task<[AttachedCamera], any Error>?

  /// Creates the module. It can replace the source of `capture` by other cameras, which are opened with these settings.
  package init(
    capture: CaptureModule, settings: CameraSettings, makeDecoder: @escaping MakeFrameDecoder = { nil }
  ) {
    self.makeDecoder = makeDecoder
    self.capture = capture
    self.settings = settings
  }

  /// Sets the settings of cameras that are selected from now on.
  package func use(_ settings: CameraSettings) { self.settings = settings }

  private var pipeline: FramePipeline { capture.pipeline }

  /// Updates `hasTorch` after a change of the source's state: an open source reports its controls.
  func sourceChanged() {
    let controls = pipeline.source.controls
    if !controls.isEmpty { hasTorch = controls.contains { $0.name == "torch" } }
  }

  package var features: [String] { hasTorch ? ["torch"] : [] }

  /// Describes the attached cameras, each with the name of the configured camera that uses it.
  private func described(_ cameras: [AttachedCamera]) -> [CameraDescription] {
    let device = pipeline.source.device
    return cameras.map { camera in
      CameraDescription(
        camera, selected: device,
        owner: camera.identity == device ? capture.camera : owner(camera.identity))
    }
  }

  private func cameras() -> Task<[AttachedCamera], any Error> {
    if let search { return search }
    let new = Task { @ServiceActor in
      defer { self.search = nil }
      return try await NIOThreadPool.singleton.runIfActive { CameraFinder().all() }
    }
    search = new
    return new
  }

  package func register(in methods: inout MethodTable) {
    methods.addLater(TorchRequest.self) { [self] request, _ in
      let source = pipeline.source
      return {
        try await NIOThreadPool.singleton.runIfActive {
          do {
            try source.setControl("torch", to: request.on ? 1 : 0)
          } catch let error as SourceError where error.code == "unknownControl" {
            throw ServiceError(
              .notSupported, "\(source.device) has no light that can be switched.",
              hint: "waymark cameras lists what each camera can do.")
          }
        }
        return TorchResult(on: request.on)
      }
    }
    methods.addLater(CameraListRequest.self) { [self] _, _ in
      let search = cameras()
      return { CameraListResult(cameras: await self.described(try await search.value)) }
    }
    methods.addLater(CameraSelectRequest.self) { [self] request, _ in
      let (pipeline, settings, makeDecoder, search) = (pipeline, settings, makeDecoder, cameras())
      return {
        let cameras = try await search.value
        guard let camera = cameras.first(where: { $0.identity == request.id || $0.path == request.id }) else {
          throw ServiceError(
            .notFound, "There is no camera of this id.", hint: "camera.list names the cameras that are plugged in.")
        }
        if let owner = await self.owner(camera.identity) {
          throw ServiceError(
            .busy, "The camera \(owner) uses this device.", hint: "Select another device for \(owner) first.")
        }
        var chosen = settings
        chosen.selector = CameraSelector(camera.identity)
        pipeline.select(CameraSource(settings: chosen, makeDecoder: makeDecoder))
        return CameraSelectResult(id: camera.identity)
      }
    }
    methods.addLater(CameraControlRequest.self) { [self] request, _ in
      let source = pipeline.source
      guard let value = Int(exactly: request.value) else {
        throw ServiceError(.badParams, "value must be a whole number.", hint: "waymark cameras lists the ranges.")
      }
      return {
        try await NIOThreadPool.singleton.runIfActive { try source.setControl(request.name, to: value) }
        let now = source.controls.first { $0.name == request.name }?.value ?? value
        return CameraControlResult(name: request.name, value: Double(now))
      }
    }
  }
}

extension ServiceError {
  package static let stopping = ServiceError(.stopping, "The service stops.", hint: "Wait for it to come back.")
}

extension CameraDescription {
  init(_ camera: AttachedCamera, selected device: String, owner: String?) {
    self.init(
      id: camera.identity, name: camera.name, device: camera.path, selected: device == camera.identity,
      formats: camera.formats.flatMap { format in
        format.sizes.map { size in
          CameraFormat(format: format.format, width: size.width, height: size.height, rates: size.rates)
        }
      },
      controls: camera.controls.map { control in
        CameraControlDescription(
          name: control.name, value: control.value, minimum: control.minimum, maximum: control.maximum,
          step: control.step, defaultValue: control.defaultValue)
      },
      torch: camera.controls.contains { $0.name == "torch" }, camera: owner)
  }
}
