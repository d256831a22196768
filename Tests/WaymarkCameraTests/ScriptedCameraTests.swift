import CV4L2
import Foundation
import Glibc
import Testing
import WaymarkFrames
import WaymarkImage
import WaymarkSystem

@testable import WaymarkCamera

/// The camera against a driver that misbehaves by a script.
struct ScriptedCameraTests {
  /// A folder with one node; nothing of the file itself is used.
  private func source(_ calls: ScriptedVideo, _ change: (inout CameraSettings) -> Void = { _ in }) throws
    -> CameraSource
  {
    var settings = CameraSettings(selector: .path("/dev/null"), width: 8, height: 2)
    settings.buffers = 4
    change(&settings)
    return CameraSource(settings: settings, nodes: VideoNodes(folder: "/nowhere"), calls: calls)
  }

  private func gray(_ value: UInt8, sequence: UInt32, flags: UInt32 = 0) -> ScriptedVideo.ScriptedFrame {
    .init(bytes: Array(repeating: value, count: 16), flags: flags, sequence: sequence)
  }

  @Test func stopsTheStreamBeforeItClosesTheDevice() throws {
    let calls = ScriptedVideo { $0.frames = [gray(1, sequence: 0), gray(2, sequence: 1)] }
    let source = try source(calls)
    let sink = source.started()
    #expect(sink.waitForFrames(total: 2))
    source.stop()
    #expect(
      calls.log.filter { $0 != "open" } == [
        "format", "buffers", "start", "stop", "unmap", "unmap", "unmap", "unmap", "free", "close",
      ])
    #expect(calls.state.withLock { ($0.openDescriptors, $0.mapped) } == (0, 0))
  }

  @Test(arguments: [wm_vidioc_reqbufs, wm_vidioc_querybuf, wm_vidioc_qbuf, wm_vidioc_streamon, wm_vidioc_s_fmt])
  func leavesNothingBehindWhenOpeningFailsOnTheWay(request: UInt) throws {
    let calls = ScriptedVideo {
      $0.failures[request] = [-EIO]
      $0.frames = [gray(1, sequence: 0)]
    }
    let source = try source(calls)
    let sink = source.started()
    // The second attempt succeeds.
    #expect(sink.waitForFrames(total: 1))
    source.stop()
    #expect(sink.states == [.lost, .back, .streaming, .closed])
    #expect(calls.state.withLock { ($0.openDescriptors, $0.mapped) } == (0, 0))
  }

  @Test func aCameraOfAVendorsOwnFormatIsUsedOnlyWhenAllowed() throws {
    // Compressed by the camera, and decoded by libv4l2 in this process; plain, and only moved about.
    for (name, allowed, isUsed) in [("P207", false, false), ("P207", true, true), ("M420", false, true)] {
      let calls = ScriptedVideo { $0.format = fourCC(name) }
      let finder = CameraFinder(nodes: VideoNodes(folder: "/nowhere"), calls: calls)
      var fault: CameraFault?
      do throws(CameraFault) {
        try finder.open(.path("/dev/null"), pinned: nil, mayReplace: false, vendorFormats: allowed) { _ in }
      } catch {
        fault = error
      }
      #expect((fault == nil) == isUsed, "\(name)")
      #expect(fault.map { $0.error(device: "it").code } == (isUsed ? nil : "cameraFormatLocked"))
      #expect(calls.state.withLock { $0.converting } == (isUsed ? [false, true] : [false]))
      #expect(calls.state.withLock { $0.openDescriptors } == 0)
    }
  }

  private func fourCC(_ name: String) -> UInt32 {
    name.utf8.enumerated().reduce(0) { $0 | UInt32($1.element) << (8 * UInt32($1.offset)) }
  }

  /// Rows of 8 pixels in 32 bytes: a plain format is read as the camera has it, without libv4l2's conversions.
  @Test func convertsAPlainFormatItself() throws {
    let row = (0..<32).map { UInt8($0 < 24 ? 10 * ($0 / 3) : 255) }
    let calls = ScriptedVideo {
      $0.format = fourCC("RGB3")
      $0.bytesPerLine = 32
      $0.frames = [.init(bytes: row + row, sequence: 0), .init(bytes: Array(row + row.prefix(20)), sequence: 1)]
    }
    let source = try source(calls) { $0.allowsVendorFormats = false }
    source.demand(FrameDemand(encoded: true))
    let sink = source.started()
    #expect(sink.waitForFrames(total: 1))
    source.stop()
    let frame = try #require(sink.seen.withLock { $0.last })
    #expect(
      (0..<2).allSatisfy { y in (0..<8).allSatisfy { frame.image[$0, y] == PlainConversion.limited(10 * UInt8($0)) } })
    #expect(frame.encoded?.layout == PixelLayout(format: .yuv420, width: 8, height: 2))
    #expect(frame.encoded?.withBytes { Array($0.suffix(8)) } == Array(repeating: 128, count: 8))
    #expect(calls.state.withLock { $0.converting } == [false])
  }

  @Test func refusesAnswersThatContradictTheRequestOrThemselves() throws {
    // libv4l2 offers what it cannot make; rows of another length than it makes; rows that are too short for their pixels.
    let cases: [(format: String, emulated: [String], answer: String, bytesPerLine: UInt32, reason: String)] = [
      ("H264", ["YU12"], "H264", 0, "libv4l2 offers YU12, but answers with H264"),
      ("H264", ["YU12"], "YU12", 16, "it answers YU12 of 8 × 2 pixels in rows of 16 bytes"),
      ("YUYV", [], "YUYV", 8, "it answers YUYV of 8 × 2 pixels in rows of 8 bytes"),
      ("RGB3", [], "RGB3", 16, "it answers RGB3 of 8 × 2 pixels in rows of 16 bytes"),
    ]
    for (format, emulated, answer, bytesPerLine, reason) in cases {
      let calls = ScriptedVideo {
        $0.format = fourCC(format)
        $0.emulated = emulated.map(fourCC)
        $0.answer = (fourCC(answer), 8, 2)
        $0.bytesPerLine = bytesPerLine
      }
      let source = try source(calls)
      let sink = source.started()
      let problem = sink.wait(for: .lost)?.problem
      source.stop()
      #expect(problem?.code == "cameraUnsupported" && problem?.message.contains(reason) == true, "\(reason)")
      #expect(calls.state.withLock { $0.openDescriptors } == 0)
    }
    // A wish that libv4l2 cannot fulfil is followed by the next one.
    let calls = ScriptedVideo {
      $0.format = fourCC("P207")
      $0.emulated = ["YU12", "RGB3"].map(fourCC)
      $0.answer = (fourCC("RGB3"), 8, 2)
      $0.frames = [.init(bytes: Array(repeating: 40, count: 48), sequence: 0)]
    }
    let source = try source(calls)
    let sink = source.started()
    #expect(sink.waitForFrames(total: 1))
    source.stop()
    #expect(sink.seen.withLock { $0.last?.image[7, 1] } == PlainConversion.limited(40))
  }

  @Test func goesOnToTheNextCameraWhenTheFirstCannotBeUsed() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("waymark-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let paths = ["video0", "video1"].map { folder.appendingPathComponent($0).path }
    for path in paths { try Data().write(to: URL(fileURLWithPath: path)) }
    for (request, number, code) in [
      (wm_vidioc_s_fmt, EBUSY, "cameraBusy"), (wm_vidioc_reqbufs, EBUSY, "cameraBusy"),
      (wm_vidioc_streamon, EIO, "cameraFailed"), (wm_vidioc_enum_fmt, EINVAL, "cameraUnsupported"),
    ] {
      for selector in [CameraSelector.any, .named("scripted")] {
        let calls = ScriptedVideo {
          $0.pathFailures = [paths[0]: [request: -number]]
          $0.frames = [gray(1, sequence: 0)]
        }
        let settings = CameraSettings(selector: selector, width: 8, height: 2)
        let source = CameraSource(settings: settings, nodes: VideoNodes(folder: folder.path), calls: calls)
        let sink = source.started()
        #expect(sink.waitForFrames(total: 1))
        #expect(source.device.hasSuffix("video1"))
        source.stop()
        #expect(sink.states == [.opened, .streaming, .closed], "\(code)")
        #expect(calls.state.withLock { ($0.openDescriptors, $0.mapped) } == (0, 0))
      }
      // When none can be used, the first one's reason is reported.
      let calls = ScriptedVideo {
        $0.pathFailures = [paths[0]: [request: -number], paths[1]: [wm_vidioc_streamon: -EPERM]]
      }
      let source = CameraSource(nodes: VideoNodes(folder: folder.path), calls: calls)
      let sink = source.started()
      #expect(sink.wait(for: .lost)?.problem?.code.rawValue == code)
      source.stop()
    }
  }

  @Test func reportsWhyACameraCannotBeOpened() throws {
    for (number, code) in [
      (EACCES, "cameraNotPermitted"), (EBUSY, "cameraBusy"), (ENOENT, "cameraNotFound"), (EIO, "cameraFailed"),
    ] {
      let calls = ScriptedVideo {
        $0.openResults = [-number, -number, -number]
        $0.frames = [gray(1, sequence: 0)]
      }
      let source = try source(calls)
      let sink = source.started()
      #expect(sink.waitForFrames(total: 1))
      source.stop()
      // Three failed attempts, reported once.
      #expect(sink.states == [.lost, .back, .streaming, .closed])
      #expect(sink.seen.withLock { $0.statuses[0].problem?.code.rawValue } == code)
    }
  }

  @Test func refusesAnOutputNode() throws {
    let calls = ScriptedVideo { $0.deviceCaps = UInt32(V4L2_CAP_VIDEO_OUTPUT | V4L2_CAP_STREAMING) }
    let source = try source(calls)
    let sink = source.started()
    #expect(sink.wait(for: .lost)?.problem?.code == "cameraNotFound")
    source.stop()
    #expect(calls.state.withLock { $0.openDescriptors } == 0)
  }

  @Test func usesTheFormatThatCameBackFromTheDriver() throws {
    let calls = ScriptedVideo {
      $0.answer = (PixelFormat.yuyv.fourCC, 4, 2)
      $0.frames = [.init(bytes: [1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0, 8, 0], sequence: 0)]
    }
    let source = try source(calls)
    let sink = source.started()
    #expect(sink.waitForFrames(total: 1))
    source.stop()
    let image = try #require(sink.seen.withLock { $0.last?.image })
    #expect((image.width, image.height) == (4, 2))
    #expect((0..<4).map { image[$0, 1] } == [5, 6, 7, 8])
  }

  @Test func countsWhatTheDriverDroppedAndWhatIsDamaged() throws {
    let calls = ScriptedVideo {
      $0.frames = [
        gray(1, sequence: 0), gray(2, sequence: 4), gray(3, sequence: 5, flags: UInt32(V4L2_BUF_FLAG_ERROR)),
        .init(bytes: [1, 2, 3], sequence: 6), .init(bytes: [], sequence: 7), gray(4, sequence: 8),
      ]
    }
    let source = try source(calls)
    let sink = source.started()
    #expect(sink.waitForFrames(total: 3))
    source.stop()
    #expect(source.statistics.delivered == 3)
    #expect(source.statistics.damaged == 3)
    #expect(source.statistics.droppedByDriver == 3)
  }

  @Test func queuesALostBufferAgain() throws {
    let calls = ScriptedVideo { state in
      // The four of the start pass; then one is refused.
      state.failures[wm_vidioc_qbuf] = [0, 0, 0, 0, -EINVAL]
      state.frames = (0..<8).map { gray(1, sequence: $0) }
    }
    let source = try source(calls)
    let sink = source.started()
    #expect(sink.waitForFrames(total: 8))
    #expect(calls.state.withLock { Set($0.queued) } == [0, 1, 2, 3])
    source.stop()
  }

  @Test(arguments: [Int16(POLLERR), Int16(POLLERR | POLLHUP)])
  func reopensInsteadOfSpinningOnAnErrorWithoutAFrame(events: Int16) throws {
    let calls = ScriptedVideo {
      $0.frames = [gray(1, sequence: 0)]
      $0.wakes = [events]
    }
    let source = try source(calls)
    let sink = source.started()
    let lost = try #require(sink.wait(for: .lost))
    #expect(lost.problem?.code == (events == POLLERR ? "cameraFailed" : "cameraGone"))
    calls.state.withLock { $0.frames = [gray(1, sequence: 0)] }
    #expect(sink.wait(for: .back) != nil)
    source.stop()
    #expect(source.statistics.lost == 1)
  }

  @Test func setsAutomaticModesFirstAndAgainAfterReopening() throws {
    let calls = ScriptedVideo {
      $0.controls = [wm_cid_focus_absolute: 0, wm_cid_focus_auto: 1]
      $0.frames = [gray(1, sequence: 0)]
    }
    let source = try source(calls) { $0.controls = ["focus": 20, "focusAuto": 0, "unknown": 3] }
    let sink = source.started()
    #expect(sink.waitForFrames(total: 1))
    #expect(calls.log.filter { $0.hasPrefix("set") } == ["set focusAuto 0", "set focus 20"])
    try source.setControl("focus", to: 50)
    source.stop()
    calls.state.withLock {
      $0.log = []
      $0.frames = [gray(1, sequence: 0)]
    }
    source.start(sink)
    #expect(sink.waitForFrames(total: 2))
    #expect(calls.log.filter { $0.hasPrefix("set") } == ["set focusAuto 0", "set focus 50"])
    source.stop()
  }

  @Test func asksForARateThatMakesSense() throws {
    // An interval of 100 ns is what uvcvideo makes of 0.
    let cases: [(intervals: [(UInt32, UInt32)], isRange: Bool, asked: UInt32)] = [
      ([(1, 10_000_000)], false, 30_000), ([(1, 10_000_000), (1, 15)], false, 15_000),
      ([(0, 0), (1, 60), (1, 5)], false, 60_000),
      ([(1, 120), (1, 5)], true, 30_000), ([(1, 20), (1, 5)], true, 20_000), ([(1, 90), (1, 60)], true, 60_000),
      ([(1, 10_000_000), (1, 5)], true, 30_000), ([(1, 5), (1, 90)], true, 30_000),
    ]
    for (intervals, isRange, asked) in cases {
      let calls = ScriptedVideo {
        $0.intervals = intervals.map { (numerator: $0.0, denominator: $0.1) }
        $0.intervalsAreRange = isRange
        $0.frames = [gray(1, sequence: 0)]
      }
      let source = try source(calls)
      let sink = source.started()
      #expect(sink.waitForFrames(total: 1))
      source.stop()
      let interval = try #require(calls.state.withLock { $0.askedInterval })
      #expect(interval == (1000, asked), "\(intervals)")
    }
    for (rate, asked) in [(1e7, 1_000_000), (1e-9, 1), (.infinity, 1_000_000)] as [(Double, UInt32)] {
      let calls = ScriptedVideo()
      let device = try VideoDevice(path: "/dev/null", calls: calls)
      _ = try device.agree(fourCC: PixelFormat.grey.fourCC, width: 8, height: 2, rate: rate)
      #expect(calls.state.withLock { $0.askedInterval?.denominator } == asked)
    }
  }

  @Test func leavesOutMenuEntriesBelowZero() throws {
    let calls = ScriptedVideo {
      $0.controls = [wm_cid_focus_absolute: 1]
      $0.controlType = V4L2_CTRL_TYPE_MENU.rawValue
      $0.controlMinimum = .min
    }
    let device = try VideoDevice(path: "/dev/null", calls: calls)
    #expect(device.controls().map(\.shown.name) == ["focus"])
  }

  @Test(arguments: [V4L2_CTRL_TYPE_INTEGER.rawValue, V4L2_CTRL_TYPE_CTRL_CLASS.rawValue])
  func doesNotAskForEverWhatDoesNotWalkOn(type: UInt32) throws {
    let calls = ScriptedVideo {
      $0.controls = [wm_cid_focus_absolute: 1]
      $0.controlType = type
      $0.repeatsControl = true
    }
    let device = try VideoDevice(path: "/dev/null", calls: calls)
    #expect(device.controls().count == (type == V4L2_CTRL_TYPE_INTEGER.rawValue ? 1 : 0))
    #expect(calls.state.withLock { $0.controlQueries } == 2)
    calls.state.withLock { state in
      state.controls = Dictionary(uniqueKeysWithValues: (1...9000).map { (UInt32($0), 0) })
      state.repeatsControl = false
      state.controlQueries = 0
    }
    #expect(device.controls().count <= 1024)
    #expect(calls.state.withLock { $0.controlQueries } <= 1024)
  }

  @Test func canBeLookedAtWhileAControlHangs() throws {
    let calls = ScriptedVideo {
      $0.controls = [wm_cid_focus_absolute: 1]
      $0.frames = [gray(1, sequence: 0)]
    }
    let source = try source(calls)
    let sink = source.started()
    #expect(sink.waitForFrames(total: 1))
    calls.state.update { $0.holdsControls = true }
    Thread { try? source.setControl("focus", to: 50) }.start()
    #expect(calls.state.wait(until: MonotonicClock.now + 60) { $0.heldControls == 1 ? true : nil } == true)
    let seen = Monitor<[String]>([])
    Thread {
      let values = source.controls.map { "\($0.name) \($0.value)" }
      seen.update { $0 = [source.device] + values }
    }.start()
    // The time limit only ends a test that has failed.
    let looked = seen.wait(until: MonotonicClock.now + 20) { $0.isEmpty ? nil : $0 }
    #expect(looked == ["path:/dev/null", "focus 1"])
    calls.state.update { $0.holdsControls = false }
    source.stop()
    #expect(source.controls.isEmpty)
  }

  @Test func takesNoMoreThanIsWanted() throws {
    let calls = ScriptedVideo { state in
      state.silencePasses = true
      state.frames = (0..<10).map { index in
        .init(bytes: Array(repeating: 1, count: 16), sequence: index, captured: Double(index))
      }
    }
    let source = try source(calls)
    source.demand(FrameDemand(maximumRate: 0.5))
    let sink = source.started()
    #expect(sink.wait(for: .stalled) != nil)
    source.stop()
    #expect(source.statistics.delivered == 5)
    #expect(source.statistics.unwanted == 5)
  }
}
