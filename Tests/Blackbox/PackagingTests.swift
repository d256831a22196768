import Foundation
import Testing

/// The units that come with the package, held against the tools that know them.
@Suite struct PackagingTests {
  private static let units = Executable.project.appendingPathComponent("Packaging/systemd").path

  @Test(
    .enabled(if: isInstalled("systemd-analyze"), "needs systemd"),
    arguments: ["waymark.service", "waymark-kiosk.service", "waymark-type.service", "waymark-feedback.service"])
  func theUnitIsHardened(_ unit: String) throws {
    let (_, output) = try runProgram([
      "systemd-analyze", "security", "--offline=true", "--no-pager", Self.units + "/" + unit,
    ])
    let line = try #require(output.split(separator: "\n").last { $0.contains("Overall exposure level") })
    let words = line.split(separator: " ")
    let exposure = try #require(words.compactMap { Double($0) }.first)
    #expect(exposure < 1.5)
  }

  @Test(.enabled(if: isInstalled("systemd-analyze"), "needs systemd"))
  func theUnitsAreWellFormed() throws {
    let folder = try TemporaryFolder()
    let units = [
      "waymark.service", "waymark.socket", "waymark-kiosk.service", "waymark-type.service", "waymark-feedback.service",
    ]
    for unit in units {
      // The program is not where the package puts it while it is only built.
      let text = try String(contentsOfFile: Self.units + "/" + unit, encoding: .utf8)
        .replacingOccurrences(of: "/usr/bin/waymark", with: Executable.path)
      try text.write(toFile: folder.file(unit), atomically: true, encoding: .utf8)
    }
    for unit in units {
      let (status, output) = try runProgram(["systemd-analyze", "verify", "--man=no", folder.file(unit)])
      #expect(status == 0, "\(output)")
      #expect(!output.contains("waymark."), "\(output)")
      #expect(!output.contains("waymark-kiosk."), "\(output)")
      #expect(!output.contains("waymark-type.") && !output.contains("waymark-feedback."), "\(output)")
    }
  }

  @Test func identitiesAndCamerasStayReachable() throws {
    let unit = try String(contentsOfFile: Self.units + "/waymark.service", encoding: .utf8)
    let lines = Set(unit.split(separator: "\n").map(String.init))
    // With these every peer would have the overflow user, and no camera would be there.
    #expect(!lines.contains("PrivateUsers=yes"))
    #expect(!lines.contains("PrivateDevices=yes"))
    #expect(!lines.contains("DynamicUser=yes"))
    #expect(lines.contains("DeviceAllow=char-video4linux rw"))
    #expect(lines.contains("Type=notify"))
  }
}
