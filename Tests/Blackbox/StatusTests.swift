import Foundation
import Testing

/// `waymark status` while an AR session runs.
@Suite struct StatusTests {
  private static let walk = Executable.project.appendingPathComponent("Samples/sequences/pump-room").path

  @Test func itReportsSessionSceneAndAnchors() throws {
    let service = try RunningService(["--source", Self.walk, "--rate", "20"])
    for request in [["session.start", #"{"scene":"pump-room"}"#], ["session.scan"]] {
      #expect(try Executable.run(["send"] + request + ["--socket", service.socket]).status == 0)
    }
    // The walk passes all posters in a few seconds, again and again.
    let deadline = Date(timeIntervalSinceNow: 240)
    var status: [String: Any] = [:]
    repeat {
      status = try Executable.run(["status", "--json", "--socket", service.socket]).objects.first ?? [:]
    } while (status["anchors"] as? [String])?.isEmpty != false && Date() < deadline
    #expect((status["anchors"] as? [String])?.isEmpty == false)
    #expect(status["scene"] as? String == "pump-room")
    #expect(["scanning", "matched", "annotating"].contains(status["session"] as? String))
    #expect((status["intrinsics"] as? [String: Any])?["fx"] as? Double ?? 0 > 0)
    let lanes = (status["statistics"] as? [String: Any])?["lanes"] as? [[String: Any]] ?? []
    let stages = lanes.first { $0["name"] as? String == "anchors" }?["stages"] as? [[String: Any]] ?? []
    #expect(Set(["wait", "pyramid", "search", "total"]).isSubset(of: stages.compactMap { $0["name"] as? String }))
  }
}
