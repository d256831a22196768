import Foundation
import Testing

/// Where frames may come from, and what each kind of source may do.
@Suite struct SourcesOfFramesTests {
  private static let frames = Executable.project.appendingPathComponent("Samples/frames").path
  private static let hasCamera = (try? FileManager.default.contentsOfDirectory(atPath: "/dev"))?.contains {
    $0.hasPrefix("video")
  }

  /// The first verdict.
  private func firstVerdict(of service: RunningService) throws -> [String: Any] {
    let watch = try runProgram([
      Executable.path, "watch", "--json", "--events", "scan.successful", "scan.invalid", "--count", "1", "--socket",
      service.socket,
    ])
    #expect(watch.status == 0, "\(watch.output)")
    let line = try #require(watch.output.split(separator: "\n").last)
    return try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
  }

  @Test(.enabled(if: hasCamera == false, "needs a computer without a camera"))
  func withoutACameraNothingIsPlayed() throws {
    let service = try RunningService(["--auto-begin", "onboarding"])
    // The socket answers before the first look for a camera is over.
    let deadline = Date() + 60
    var camera: [String: Any] = [:]
    while camera["code"] == nil, Date() < deadline {
      let status = try #require(try Executable.run(["status", "--json", "--socket", service.socket]).objects.first)
      camera = try #require(status["camera"] as? [String: Any])
    }
    #expect(camera["code"] as? String == "cameraNotFound")
    // A picture has to wait for a frame, and none ever comes.
    let shot = try Executable.run(
      ["send", "media.snapshot", "-o", service.folder.file("a.jpg"), "--socket", service.socket])
    #expect(shot.status != 0)
    let after = try #require(try Executable.run(["status", "--json", "--socket", service.socket]).objects.first)
    let frames = (after["statistics"] as? [String: Any])?["frames"] as? [String: Any]
    #expect(frames?["captured"] as? Int == 0)
    #expect((after["scanner"] as? [String: Any])?["code"] as? String == "cameraNotFound")
  }

  @Test func recordedFramesOnboardNothing() throws {
    let service = try RunningService(["--source", Self.frames, "--auto-begin", "onboarding"])
    let event = try firstVerdict(of: service)
    #expect(event["event"] as? String == "scan.invalid")
    #expect(event["reason"] as? String == "sourceNotAllowed")
    #expect((event["explanation"] as? String)?.contains("--source-onboarding") == true)
    #expect(event["source"] as? String == "folder")
    #expect((event["frame"] as? [String: Any])?["source"] as? String == "folder")
  }

  @Test func theyDoWhereTheConfigurationAllowsIt() throws {
    let service = try RunningService(["--source", Self.frames, "--source-onboarding", "--auto-begin", "onboarding"])
    let event = try firstVerdict(of: service)
    #expect(event["event"] as? String == "scan.successful")
    #expect(event["source"] as? String == "folder")
  }

  @Test func plainScanningTakesAnySource() throws {
    let service = try RunningService(["--source", Self.frames, "--auto-begin", "barcode"])
    #expect(try firstVerdict(of: service)["source"] as? String == "folder")
  }
}
