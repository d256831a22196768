import Foundation
import Testing
import WaymarkCamera

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

  @Test func tellsTheLensesOfOneCameraApart() {
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
  @Test func tellsTwoCamerasOfOneDeviceApart() throws {
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
