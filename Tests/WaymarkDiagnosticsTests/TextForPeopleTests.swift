import Foundation
import Testing
import WaymarkClient
import WaymarkImage
import WaymarkProtocol
import WaymarkSystem

@testable import WaymarkCommands

/// Messages of the protocol as a person and a monitoring system read them: the fixtures of the wire, and what is written about them.
struct TextForPeopleTests {
  private static let folder =
    URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().path
    + "/Fixtures/Protocol/"

  private static func status(_ change: (String) -> String = { $0 }) throws -> StatusResult {
    let text = try String(contentsOfFile: folder + "results.txt", encoding: .utf8)
    let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("status ") })
    return try JSONValueDecoder.decode(StatusResult.self, from: JSONParser.parse(change(String(line.dropFirst(7)))))
  }

  private static func event(_ name: String) throws -> Event {
    let text = try String(contentsOfFile: folder + "events.ndjson", encoding: .utf8)
    let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("{\"event\":\"\(name)\"") })
    return try Event(line: JSONParser.parse(String(line)))
  }

  @Test func aStatusIsReportedInLines() throws {
    #expect(
      StatusText.text(of: try Self.status(), role: .operator) == """
        waymark 0.1.0, up 12 s, you are operator
        socket    /run/waymark/waymark.sock
        camera    streaming, usb-046d_C920_1A2B3C, MJPG, 640×480, 30 fps
        scanner   scanning (onboarding, scan s1)
        session   annotating, scene pump-room
        frames    375, 1 bad, 0 lost
                  luma 1.6 ms
        lane      barcode: 370 frames, 5 skipped, 6.1 ms (p99 11.3 ms)
                  wait 1.8 ms
        clients   2, 17 events, 0 dropped
        process   30 MiB, 1.25 s of processor time
        """)
  }

  @Test func theConfigurationThatRunsIsNamedWithWhatItAccepts() throws {
    var status = try Self.status()
    status.configuration = ConfigurationInUse(
      file: "/etc/waymark/waymark.yaml", isDefault: true, cautions: ["Unsigned onboarding codes are accepted."])
    let text = StatusText.text(of: status, role: nil)
    #expect(text.contains("\nconfig    /etc/waymark/waymark.yaml (the default file)\n"), "\(text)")
    #expect(text.contains("\ncaution   Unsigned onboarding codes are accepted.\n"), "\(text)")
    status.configuration = ConfigurationInUse(file: "/srv/a.yaml", isDefault: false)
    #expect(StatusText.text(of: status, role: nil).contains("\nconfig    /srv/a.yaml\n"))
    status.configuration = ConfigurationInUse(isDefault: true)
    #expect(StatusText.text(of: status, role: nil).contains("\nconfig    no file: the defaults apply\n"))
    status.camera = CameraStatus(status: .closed, device: "frames", ended: true)
    #expect(StatusText.text(of: status, role: nil).contains("camera    closed, frames, played to its end"))
  }

  @Test func ofSeveralCamerasFiguresHaveTheirNames() throws {
    var status = try Self.status()
    let figures = status.statistics
    status.statistics.cameras = ["front", "desk"].map {
      CameraStatistics(name: $0, frames: figures.frames, lanes: figures.lanes)
    }
    status.cameras = [("front", CameraState.streaming), ("desk", .lost)].map { name, state in
      CameraOverview(name: name, camera: CameraStatus(status: state), scanner: ScannerStatus(status: .idle))
    }
    let lines = PrometheusText.text(of: status).split(separator: "\n").map(String.init)
    for line in [
      "waymark_frames_total{camera=\"front\"} 375.0", "waymark_frames_total{camera=\"desk\"} 375.0",
      "waymark_camera_state{camera=\"front\",state=\"lost\"} 0.0",
      "waymark_camera_state{camera=\"desk\",state=\"lost\"} 1.0",
      "waymark_lane_frames_total{camera=\"desk\",lane=\"barcode\"} 370.0",
    ] {
      #expect(lines.count { $0 == line } == 1, "\(line)")
    }
    let text = StatusText.text(of: status, role: nil)
    #expect(text.contains("camera    desk: lost") && text.contains("camera    front: streaming"))
  }

  @Test func aStatusIsReportedToPrometheus() throws {
    let lines = PrometheusText.text(of: try Self.status()).split(separator: "\n").map(String.init)
    let samples = lines.filter { !$0.hasPrefix("#") }
    #expect(
      samples == [
        "waymark_up 1.0", "waymark_info{version=\"0.1.0\"} 1.0", "waymark_uptime_seconds 12.5", "waymark_clients 2.0",
        "waymark_events_total 17.0", "waymark_events_dropped_total 0.0", "waymark_frames_total 375.0",
        "waymark_frames_bad_total 1.0", "waymark_frames_lost_total 0.0", "waymark_resident_memory_bytes 31457280.0",
        "waymark_cpu_seconds_total 1.25", "waymark_camera_state{state=\"closed\"} 0.0",
        "waymark_camera_state{state=\"opened\"} 0.0", "waymark_camera_state{state=\"streaming\"} 1.0",
        "waymark_camera_state{state=\"stalled\"} 0.0", "waymark_camera_state{state=\"lost\"} 0.0",
        "waymark_camera_state{state=\"back\"} 0.0", "waymark_lane_frames_total{lane=\"barcode\"} 370.0",
        "waymark_lane_skipped_total{lane=\"barcode\"} 5.0",
        "waymark_lane_seconds{lane=\"barcode\",quantile=\"0.5\"} 0.0061",
        "waymark_lane_seconds{lane=\"barcode\",quantile=\"0.99\"} 0.0113",
        "waymark_stage_seconds{lane=\"source\",quantile=\"0.5\",stage=\"luma\"} 0.0016",
        "waymark_stage_seconds{lane=\"source\",quantile=\"0.99\",stage=\"luma\"} 0.0021",
        "waymark_stage_seconds{lane=\"barcode\",quantile=\"0.5\",stage=\"wait\"} 0.0018",
        "waymark_stage_seconds{lane=\"barcode\",quantile=\"0.99\",stage=\"wait\"} 0.0024",
        "waymark_workers_started_total 3.0", "waymark_workers_crashed_total 1.0", "waymark_workers_hung_total 0.0",
        "waymark_workers_lost_total 1.0", "waymark_worker_failures_total{code=\"workerCrashed\"} 1.0",
      ])
    // Each name is explained once, before its first sample.
    let reported = lines.filter { $0.hasPrefix("# TYPE ") }.map { $0.split(separator: " ")[2] }
    #expect(reported.count == Set(reported).count)
    #expect(Set(reported) == Set(samples.map { $0.prefix { $0 != "{" && $0 != " " } }))
    #expect(lines.count == samples.count + 2 * reported.count)
    // Only summaries have quantiles.
    let quantiles = Set(samples.filter { $0.contains("quantile=") }.map { $0.prefix { $0 != "{" } })
    #expect(
      Set(lines.filter { $0.hasPrefix("# TYPE ") && $0.hasSuffix(" summary") }.map { $0.split(separator: " ")[2] })
        == quantiles)
  }

  @Test func labelsAreEscapedAsPrometheusReadsThem() throws {
    let status = try Self.status { $0.replacing("\"version\":\"0.1.0\"", with: #""version":"a\"b\\c\nd""#) }
    #expect(PrometheusText.text(of: status).contains(#"waymark_info{version="a\"b\\c\nd"} 1.0"#))
  }

  @Test(arguments: [
    (0.0, "0"), (1, "1"), (-1, "-1"), (29.97, "29.97"), (29.974, "29.97"), (29.975001, "29.98"), (0.004, "0"),
    (0.006, "0.01"), (-0.006, "-0.01"), (99.999, "100"), (6.1, "6.1"), (11.25, "11.25"),
  ]) func numbersAreRoundedToHundredths(value: Double, text: String) { #expect(EventText.rounded(value) == text) }

  @Test(arguments: [
    ("scan.confirmed", "03:04:05.678Z  scan.confirmed        scan "),
    ("camera.status", "03:04:05.678Z  camera.status         "),
    ("document.captured", "03:04:05.678Z  document.captured     "),
    ("server.stopping", "03:04:05.678Z  server.stopping       "),
  ]) func anEventIsALineInColumns(name: String, beginning: String) throws {
    #expect(EventText.text(of: try Self.event(name)).hasPrefix(beginning))
  }

  /// Every event of the wire is printed as one line without control characters.
  @Test func everyEventIsALine() throws {
    let text = try String(contentsOfFile: Self.folder + "events.ndjson", encoding: .utf8)
    let events = text.split(separator: "\n")
    #expect(events.count > 40)
    for line in events {
      let event = try Event(line: JSONParser.parse(String(line)))
      let reported = EventText.text(of: event)
      #expect(reported.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }, "\(reported)")
      let columns = reported.split(separator: "  ", maxSplits: 2, omittingEmptySubsequences: true)
      #expect(columns.count >= 2 && columns[1] == event.body.name, "\(reported)")
    }
  }
}
