import Foundation
import WaymarkProtocol
import WaymarkSystem

/// Messages that are only there to be sent.
enum Samples {
  static let anchor = AnchorTracking(
    anchor: "pump-7", trackingMethod: .fullTracking, corners: [[100, 80.5], [220.25, 82], [218, 200], [98.5, 199]],
    homography: [0.25, 0, 100, 0, 0.25, 80, 0.00001, 0, 1],
    markers: (0..<10).map { MarkerTracking(id: "m\($0)", visible: true, selected: false, screen: [1, 2], depth: 3) })
  static let statistics = Statistics(
    uptime: 1, frames: FrameStatistics(captured: 1, bad: 0, lost: 0), lanes: [], clients: 1, events: 1, dropped: 0,
    memory: 1, cpu: 1)
}

/// True where qrencode is installed, which draws the codes of a test.
let canDrawCodes = ["/usr/bin/qrencode", "/usr/local/bin/qrencode"].contains {
  FileManager.default.isExecutableFile(atPath: $0)
}

/// Draws a QR code into a PNG file.
func drawCode(_ text: String, to path: String, _ options: [String] = ["-s", "6", "-m", "8"]) throws {
  let program = URL(fileURLWithPath: "/usr/bin/env")
  try Process.run(program, arguments: ["qrencode"] + options + ["-o", path, text]).waitUntilExit()
}
