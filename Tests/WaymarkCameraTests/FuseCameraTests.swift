import Foundation
import Testing
import WaymarkCamera
import WaymarkFrames
import WaymarkImage
import WaymarkSystem

/// The whole way from a device node through unmodified libv4l2 to the sink, with the FUSE camera in place of a driver.
@Suite(.serialized, .enabled(if: FuseCamera.isPossible))
struct FuseCameraTests {
  private func source(_ camera: FuseCamera, _ change: (inout CameraSettings) -> Void = { _ in }) -> CameraSource {
    var settings = CameraSettings()
    change(&settings)
    return CameraSource(settings: settings, nodes: VideoNodes(folder: camera.folder))
  }

  @Test func listsTheCameraWithFormatsAndControls() throws {
    let camera = try FuseCamera(yuyv: true)
    let found = CameraFinder(nodes: VideoNodes(folder: camera.folder)).all()
    let only = try #require(found.first)
    #expect(found.count == 1)
    #expect(only.name == "FUSE camera")
    #expect(only.identity == "path:fuse-0")
    #expect(only.formats.filter { !$0.emulated }.map(\.format) == ["MJPG", "YUYV"])
    let size = try #require(only.formats.first?.sizes.first)
    #expect(size.width == 640 && size.height == 480 && size.rates == [60])
    #expect(only.controls.map(\.name) == ["brightness", "powerLineFrequency", "exposureAuto", "focus", "torch"])
    #expect(only.controls[1].menu == [0: "Disabled", 1: "50 Hz", 2: "60 Hz"])
  }

  @Test func losesNoFrameBetweenDriverAndSink() throws {
    let camera = try FuseCamera()
    let source = source(camera)
    let sink = source.started()
    #expect(sink.waitForFrames(5))
    // As fast as buffers come back: frames that are not taken in time show as a gap in the driver's count.
    camera.tell("burst 1000")
    #expect(sink.waitForFrames(1000))
    source.stop()
    let statistics = source.statistics
    #expect(camera.counts.frames >= statistics.delivered)
    #expect(statistics.damaged == 0)
    #expect(statistics.delivered == sink.frames)
    #expect(sink.seen.withLock { $0.gaps } == 0)
    // The frames that the camera filled and that were not taken can only be those in its queue when the stream ended.
    #expect(camera.counts.frames - statistics.delivered - statistics.unwanted <= 6)
    #expect(sink.states == [.opened, .streaming, .closed])
    let layout = sink.seen.withLock { $0.statuses[1].layout }
    #expect(layout == PixelLayout(format: .mjpeg, width: 640, height: 480))
    let last = try #require(sink.seen.withLock { $0.last })
    #expect(last.width == 640 && last.height == 480)
  }

  @Test func readsYUYVAsItLies() throws {
    let camera = try FuseCamera(yuyv: true)
    let source = source(camera) { $0.formats = [.yuyv] }
    let sink = source.started()
    #expect(sink.waitForFrames(3))
    source.stop()
    let frame = try #require(sink.seen.withLock { $0.last })
    let image = frame.image
    #expect(
      (0..<480).allSatisfy { y in (0..<640).allSatisfy { image[$0, y] == UInt8(truncatingIfNeeded: y * 640 + $0) } })
  }

  @Test func seesThroughAFormatThatWasChangedSilently() throws {
    let camera = try FuseCamera(yuyv: true)
    camera.tell("lie")
    let source = source(camera)
    let sink = source.started()
    #expect(sink.waitForFrames(3))
    source.stop()
    #expect(sink.seen.withLock { $0.statuses.last { $0.state == .streaming }?.layout?.format } == .yuyv)
    #expect(source.statistics.damaged == 0)
  }

  @Test func rotates() throws {
    let camera = try FuseCamera()
    let source = source(camera) { $0.transform = FrameTransform(rotation: .quarter) }
    let sink = source.started()
    #expect(sink.waitForFrames(1))
    source.stop()
    let frame = try #require(sink.seen.withLock { $0.last })
    #expect(frame.width == 480 && frame.height == 640)
  }

  @Test func comesBackAfterEveryUnplugging() throws {
    let camera = try FuseCamera()
    let source = source(camera) { $0.controls = ["focus": 35] }
    let sink = source.started()
    #expect(sink.waitForFrames(2))
    let before = ProcessUse.now
    let times = 5
    for _ in 0..<times {
      let reported = sink.states.count
      camera.tell("unplug")
      let lost = try #require(sink.wait(for: .lost, after: reported))
      #expect(lost.problem?.code == "cameraGone")
      #expect(lost.device == "path:fuse-0")
      camera.tell("plug")
      let back = try #require(sink.wait(for: .streaming, after: reported))
      #expect(back.problem == nil)
      #expect(sink.states.dropFirst(reported) == [.lost, .back, .streaming])
      #expect(source.controls.first { $0.name == "focus" }?.value == 35)
      #expect(sink.waitForFrames(1))
    }
    // Something left behind each time would be five of it, for good; what other tests of this process hold comes and goes.
    let isClean = (0..<200).contains { _ in
      let now = ProcessUse.now
      if now.descriptors < before.descriptors + times, now.threads < before.threads + times { return true }
      usleep(50_000)
      return false
    }
    #expect(isClean)
    #expect(source.statistics.lost == UInt64(times))
    source.stop()
    #expect(sink.states.last == .closed)
  }

  @Test func reportsThatACameraIsFrozenAndThatItLivesAgain() throws {
    let camera = try FuseCamera()
    let source = source(camera)
    let sink = source.started()
    #expect(sink.waitForFrames(2))
    camera.tell("freeze")
    #expect(sink.wait(for: .stalled)?.problem?.code == "cameraStalled")
    camera.tell("go")
    let reported = sink.states.count
    #expect(sink.wait(for: .streaming, after: reported) != nil)
    source.stop()
  }

  @Test func passesOverDamagedFrames() throws {
    let camera = try FuseCamera()
    let source = source(camera)
    let sink = source.started()
    #expect(sink.waitForFrames(2))
    camera.tell("error")
    camera.tell("truncate 3")
    #expect(sink.waitForFrames(10))
    camera.tell("stale")
    #expect(sink.waitForFrames(10))
    source.stop()
    // The error flag may fall on one of the truncated frames.
    #expect((3...4).contains(source.statistics.damaged))
    #expect(!sink.states.contains(.lost))
  }

  @Test func survivesALostBuffer() throws {
    let camera = try FuseCamera()
    let source = source(camera) { $0.buffers = 2 }
    let sink = source.started()
    // With two buffers, two that are lost for good would end the stream.
    for _ in 0..<4 {
      camera.tell("refuse-queue")
      #expect(sink.waitForFrames(5))
    }
    source.stop()
    #expect(sink.states == [.opened, .streaming, .closed])
  }

  @Test func reopensAfterAFatalError() throws {
    let camera = try FuseCamera()
    let source = source(camera)
    let sink = source.started()
    #expect(sink.waitForFrames(2))
    camera.tell("fatal")
    let lost = try #require(sink.wait(for: .lost))
    #expect(lost.problem?.code == "cameraFailed")
    #expect(sink.wait(for: .back) != nil)
    #expect(sink.waitForFrames(2))
    source.stop()
  }

  @Test func waitsForACameraThatIsInUse() throws {
    let camera = try FuseCamera()
    camera.tell("busy")
    let source = source(camera)
    let sink = source.started()
    #expect(sink.wait(for: .lost)?.problem?.code == "cameraBusy")
    camera.tell("free")
    #expect(sink.waitForFrames(2))
    source.stop()
    #expect(sink.states.filter { $0 == .lost }.count == 1)
  }

  @Test func takesUpACameraThatIsPluggedInLater() throws {
    let camera = try FuseCamera()
    camera.tell("unplug")
    let source = source(camera)
    let sink = source.started()
    #expect(sink.wait(for: .lost)?.problem?.code == "cameraNotFound")
    camera.tell("plug")
    #expect(sink.waitForFrames(2))
    source.stop()
  }

  @Test func setsControlsWhileStreaming() throws {
    let camera = try FuseCamera()
    let source = source(camera)
    let sink = source.started()
    #expect(sink.waitForFrames(1))
    try source.setControl("torch", to: 1)
    #expect(source.controls.first { $0.name == "torch" }?.value == 1)
    let torch = CameraFinder(nodes: VideoNodes(folder: camera.folder)).all()[0].controls.first { $0.name == "torch" }
    #expect(torch?.value == 1)
    // A switch too, though the driver has a menu of which "on" is the fourth.
    #expect(source.controls.first { $0.name == "exposureAuto" }?.value == 1)
    try source.setControl("exposureAuto", to: 0)
    try source.setControl("exposureAuto", to: 1)
    let all = CameraFinder(nodes: VideoNodes(folder: camera.folder)).all()[0].controls
    #expect(all.first { $0.name == "exposureAuto" }?.value == 1)
    #expect(throws: SourceError.unknownControl("smell", device: "path:fuse-0")) {
      try source.setControl("smell", to: 1)
    }
    #expect(throws: SourceError.controlOutOfRange("focus", value: 999, range: 0...250)) {
      try source.setControl("focus", to: 999)
    }
    source.stop()
    #expect(source.controls.isEmpty)
  }

  @Test func keepsTheBytesOnlyForAViewer() throws {
    let camera = try FuseCamera()
    camera.tell("stale")
    let source = source(camera)
    source.demand(FrameDemand(luma: false, encoded: true))
    let sink = source.started()
    #expect(sink.waitForFrames(2))
    let watched = try #require(sink.seen.withLock { $0.last })
    #expect(!watched.hasLuma && watched.width == 640)
    let encoded = try #require(watched.encoded)
    // Whole, and without what stands behind it.
    #expect(encoded.withBytes { JPEGStructure.pictureEnd($0) } == encoded.count)
    source.demand(FrameDemand())
    #expect(sink.waitForFrames(4))
    #expect(sink.seen.withLock { $0.last?.encoded == nil && $0.last?.hasLuma == true })
    source.stop()
  }
}
