import Foundation
import Testing

/// Scenes in the program that is shipped, one of codes on the frames that are shipped.
@Suite struct ScenesTests {
  @Test func aPictureWithoutTextureIsAProblemOfItsScene() throws {
    let folder = try TemporaryFolder()
    let plain = Array("P5 200 200 255\n".utf8) + [UInt8](repeating: 128, count: 40_000)
    try Data(plain).write(to: URL(fileURLWithPath: folder.file("plain.pgm")))
    try "name: Hall\nanchors:\n  - name: wall\n    image: plain.pgm\n    physicalWidth: 1\n".write(
      toFile: folder.file("scene.yaml"), atomically: true, encoding: .utf8)
    let check = try Executable.run(["scene", "check", folder.path])
    #expect(check.status == 2 && check.text.contains("plain.pgm: error: image of wall: "), "\(check.text)")
    #expect(check.text.contains("[unusablePicture]") && !check.text.contains("1 anchor"), "\(check.text)")
  }

  @Test(.timeLimit(.minutes(2))) func aCodeIsAnAnchorOfTheService() throws {
    let samples = Executable.project.appendingPathComponent("Samples").path
    #expect(try Executable.run(["scene", "check", "--strict", "\(samples)/scenes/stores"]).status == 0)
    let folder = try TemporaryFolder()
    try """
    source: { path: \(samples)/sequences/stores, rate: 10 }
    scenes: { folders: [\(samples)/scenes], cache: \(folder.file("cache")), load: stores, start: true, annotateAfter: 0 }
    """.write(toFile: folder.file("waymark.yaml"), atomically: true, encoding: .utf8)
    let service = try RunningService(["--config", folder.file("waymark.yaml")])
    var scan = try Executable.run(["send", "session.scan", "--socket", service.socket])
    let deadline = Date(timeIntervalSinceNow: 30)
    // The scene is loaded in the background.
    while scan.status != 0, Date() < deadline {
      usleep(20_000)
      scan = try Executable.run(["send", "session.scan", "--socket", service.socket])
    }
    #expect(scan.status == 0, "\(scan.diagnostics)")
    // The frames come round and round, so that none is missed.
    let run = try Executable.run([
      "watch", "--json", "--events", "anchors.updated", "--count", "40", "--socket", service.socket,
    ])
    let tracked = run.objects.flatMap { $0["anchors"] as? [[String: Any]] ?? [] }
      .filter { $0["trackingMethod"] as? String == "fullTracking" }
    #expect(Set(tracked.compactMap { $0["anchor"] as? String }) == ["rack-7", "lot", "bin"])
    #expect(tracked.allSatisfy { $0["pose"] is [String: Any] })
    let status = try Executable.run(["send", "subscribe", #"{"events":[]}"#, "--socket", service.socket])
    #expect(status.text.contains("BIN-0042"))
  }
}
