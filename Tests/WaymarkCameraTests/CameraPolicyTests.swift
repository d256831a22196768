import Foundation
import Glibc
import Testing
import WaymarkCamera
import WaymarkFrames

/// The machine of a source with a camera's habits and faults, with a clock of the test's own.
struct CameraPolicyTests {
  private let layout = PixelLayout(format: .mjpeg, width: 640, height: 480)

  private func reports(_ effects: [SourceMachine.Effect]) -> [SourceStatus.State] {
    effects.compactMap { effect in
      guard case .report(let status) = effect else { return nil }
      return status.state
    }
  }

  private func opened(rate: Double) -> SourceMachine.Input {
    .opened(
      SourceMachine.Opening(
        device: "usb:1", layout: layout, rate: rate, frameTimeout: SourceMachine.FrameTimeout(rate: rate)))
  }

  private func fault(_ fault: CameraFault) -> SourceMachine.Input { .fault(fault.fault(device: "usb:1")) }

  private func streaming() -> SourceMachine {
    var machine = SourceMachine(device: "auto", policy: .camera)
    #expect(machine.handle(.start, at: 0) == [.open])
    #expect(reports(machine.handle(opened(rate: 30), at: 0.1)) == [.opened])
    #expect(reports(machine.handle(.frame(), at: 0.2)) == [.streaming])
    return machine
  }

  @Test func reportsTheAgreedFormOnceItStreams() {
    var machine = SourceMachine(device: "auto", policy: .camera)
    _ = machine.handle(.start, at: 0)
    _ = machine.handle(opened(rate: 30), at: 0)
    #expect(
      machine.handle(.frame(), at: 0) == [.report(SourceStatus(.streaming, device: "usb:1", layout: layout, rate: 30))])
    #expect(machine.handle(.frame(), at: 0) == [])
  }

  @Test func looksForAnUnpluggedCameraAtLeastFourTimesASecond() {
    var machine = streaming()
    let effects = machine.handle(fault(.gone), at: 1)
    #expect(effects.first == .close)
    #expect(reports(effects) == [.lost])
    var now = 1.0
    for _ in 0..<50 {
      let deadline = machine.deadline ?? .infinity
      #expect(deadline - now < 0.2501 && deadline > now)
      now = deadline
      #expect(machine.handle(.time, at: now) == [.open])
      // Absent after it went: nothing new to report.
      #expect(reports(machine.handle(fault(.absent), at: now)) == [])
    }
    _ = machine.handle(.time, at: machine.deadline ?? 0)
    #expect(reports(machine.handle(opened(rate: 30), at: now)) == [])
    #expect(reports(machine.handle(.frame(), at: now)) == [.back, .streaming])
    #expect(machine.losses == 1)
  }

  @Test func triesEverMoreSlowlyWhatFailsWithAnError() {
    var machine = streaming()
    _ = machine.handle(fault(.broken(EIO)), at: 0)
    var pauses: [Double] = []
    var now = 0.0
    for _ in 0..<10 {
      let deadline = machine.deadline ?? .infinity
      pauses.append(deadline - now)
      now = deadline
      #expect(machine.handle(.time, at: now) == [.open])
      _ = machine.handle(fault(.broken(EIO)), at: now)
    }
    #expect(pauses == pauses.sorted())
    #expect(pauses[0] < 0.2 && abs(pauses[9] - 5) < 1e-6)
  }

  @Test func reportsAnotherReasonWhenItChanges() {
    var machine = streaming()
    _ = machine.handle(fault(.gone), at: 1)
    _ = machine.handle(.time, at: 2)
    #expect(reports(machine.handle(fault(.notPermitted), at: 2)) == [.lost])
    _ = machine.handle(.time, at: 3)
    #expect(reports(machine.handle(fault(.notPermitted), at: 3)) == [])
  }

  @Test func reopensASilentCamera() {
    var machine = streaming()
    // 15 frame times of 1/30 s.
    #expect(abs((machine.deadline ?? 0) - 0.7) < 1e-9)
    #expect(machine.handle(.time, at: 0.6) == [])
    #expect(reports(machine.handle(.time, at: 0.7)) == [.stalled])
    #expect(machine.handle(.time, at: machine.deadline ?? 0) == [.close])
    #expect(machine.handle(.time, at: machine.deadline ?? 0) == [.open])
    #expect(reports(machine.handle(opened(rate: 30), at: 10)) == [])
    // Still silent: reported before, not again.
    #expect(machine.handle(.time, at: machine.deadline ?? 0) == [])
    #expect(machine.phase == .stalled)
  }

  @Test func goesOnWhenASilentCameraSpeaksAgain() {
    var machine = streaming()
    _ = machine.handle(.time, at: 1)
    #expect(reports(machine.handle(.frame(), at: 2)) == [.streaming])
    #expect(machine.losses == 0)
  }

  @Test func givesASlowCameraTheTimeOfItsFrames() {
    var machine = SourceMachine(device: "auto", policy: .camera)
    _ = machine.handle(.start, at: 0)
    _ = machine.handle(opened(rate: 1), at: 0)
    _ = machine.handle(.frame(), at: 0)
    #expect(machine.handle(.time, at: 14.9) == [])
    #expect(reports(machine.handle(.time, at: 15)) == [.stalled])
  }

  @Test(arguments: [0, 1, 2, 3]) func closesFromEveryState(state: Int) {
    var machine = SourceMachine(device: "auto", policy: .camera)
    _ = machine.handle(.start, at: 0)
    if state >= 1 { _ = machine.handle(opened(rate: 30), at: 0) }
    if state >= 2 { _ = machine.handle(.frame(), at: 0) }
    if state >= 3 { _ = machine.handle(fault(.gone), at: 0) }
    let effects = machine.handle(.stop, at: 1)
    #expect(effects.contains(.close) == (state < 3))
    #expect(reports(effects) == [.closed])
    #expect(machine.deadline == nil && machine.phase == .closed)
    #expect(machine.handle(.stop, at: 1) == [])
    #expect(machine.handle(.frame(), at: 1) == [])
    #expect(machine.handle(.start, at: 2) == [.open])
  }
}

struct CameraIdentityTests {
  private let path = "/sys/devices/pci0000:00/0000:00:14.0/usb1/1-2/1-2.3/1-2.3:1.0"

  private func identity(_ path: String, index: Int = 0, _ attributes: [String: String]) -> String? {
    CameraIdentity(devicePath: path, index: index) { attributes[$0] }?.text
  }

  @Test func isTheSerialNumberWhereThereIsOne() {
    #expect(identity(path, ["idVendor": "1d6b", "idProduct": "0102", "serial": "SN4711"]) == "usb:1d6b:0102:SN4711")
  }

  @Test(arguments: [nil, "SN0001", "000000000"]) func isThePortWhereTheSerialNumberSaysNothing(serial: String?) {
    var attributes = ["idVendor": "1d6b", "idProduct": "0102"]
    attributes["serial"] = serial
    #expect(identity(path, attributes) == "path:0000:00:14.0-usb-2.3")
    // Another bus number after a reboot: the same port.
    #expect(
      identity(path.replacing("1-2", with: "3-2").replacing("usb1", with: "usb3"), attributes)
        == "path:0000:00:14.0-usb-2.3")
  }

  @Test func distinguishesTheLensesOfOneCamera() {
    let attributes = ["idVendor": "1d6b", "idProduct": "0102", "serial": "SN4711"]
    #expect(identity(path.replacing(":1.0", with: ":1.2"), attributes) == "usb:1d6b:0102:SN4711#2")
  }

  @Test func isThePathOfAPlatformDevice() {
    #expect(identity("/sys/devices/platform/vivid.0", [:]) == "path:vivid.0")
    #expect(identity("/sys/devices/platform/vivid.0", index: 1, [:]) == "path:vivid.0#1")
    let second = CameraIdentity(devicePath: "/sys/devices/platform/vivid.0", index: 0, rank: 1) { _ in nil }
    #expect(second?.text == "path:vivid.0#0.1")
  }

  /// /dev/null and /dev/zero stand for the nodes: only their numbers count.
  @Test func distinguishesTwoCamerasOfOneDevice() throws {
    let folder = NSTemporaryDirectory() + "waymark-sysfs-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let device = folder + "/devices/platform/twin.0"
    for (name, number) in [("video0", "1:3"), ("video1", "1:5")] {
      let node = "\(device)/video4linux/\(name)"
      try FileManager.default.createDirectory(atPath: node, withIntermediateDirectories: true)
      try number.write(toFile: node + "/dev", atomically: true, encoding: .utf8)
      try "0\n".write(toFile: node + "/index", atomically: true, encoding: .utf8)
      try FileManager.default.createSymbolicLink(atPath: node + "/device", withDestinationPath: device)
    }
    let nodes = VideoNodes(sysfs: device + "/video4linux")
    #expect(nodes.node(at: "/dev/null")?.identity?.text == "path:twin.0")
    #expect(nodes.node(at: "/dev/zero")?.identity?.text == "path:twin.0#0.1")
  }

  @Test func understandsWhatUsersWrite() {
    #expect(CameraSelector("auto") == .any)
    #expect(CameraSelector("/dev/video2") == .path("/dev/video2"))
    #expect(CameraSelector("usb:1d6b:0102:SN4711") == .named("usb:1d6b:0102:SN4711"))
  }
}
