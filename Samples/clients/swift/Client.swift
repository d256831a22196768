// Arms a scan and prints what comes of it, through the library product WaymarkClient.
//   waymark-sample-client [SOCKET] [onboarding|barcode]
import Foundation
import WaymarkClient
import WaymarkProtocol

@main
enum Client {
  static func main() async throws {
    let arguments = CommandLine.arguments
    let environment = ProcessInfo.processInfo.environment["WAYMARK_SOCKET"]
    let own = (ProcessInfo.processInfo.environment["XDG_RUNTIME_DIR"] ?? "") + "/waymark/waymark.sock"
    let usual = FileManager.default.fileExists(atPath: own) ? own : "/run/waymark/waymark.sock"
    let path = arguments.count > 1 ? arguments[1] : environment ?? usual
    let mode = arguments.count > 2 ? ScanMode(rawValue: arguments[2]) ?? .onboarding : .onboarding

    let client = try await WaymarkClient.connect(to: path)
    print("connected to waymark \(client.hello.version) as \(client.hello.role.rawValue)")
    _ = try await client.send(SubscribeRequest(events: ["scan.*"]))
    let scan = try await client.send(ScanBeginRequest(mode: mode, once: true)).scan
    for try await received in client.events {
      switch received.event.body {
      case .scanSuccessful(let verdict) where verdict.scan == scan:
        print("successful", verdict.kind ?? verdict.symbology, verdict.connectTo ?? verdict.text ?? "")
        guard mode == .onboarding else { return }
        _ = try await client.send(ScanConfirmRequest(scan: scan))
        print("confirmed")
        return
      case .scanInvalid(let refusal) where refusal.scan == scan: print("invalid", refusal.reason.rawValue)
      case .scanUnsuccessful(let end) where end.scan == scan:
        print("scan.unsuccessful", end.reason.rawValue)
        return
      case .scanCancelled(let end) where end.scan == scan:
        print("scan.cancelled", end.reason.rawValue)
        return
      default: break
      }
    }
  }
}
