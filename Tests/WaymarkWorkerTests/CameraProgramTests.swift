import Testing
import WaymarkFrames
import WaymarkSystem

@testable import WaymarkWorker

/// The errors for which an address is not played.
struct CameraProgramTests {
  /// The problem with which an address cannot be opened. No socket of the system is asked.
  private func problem(
    _ text: String, missing: [String] = [], environment: [String: String] = [:]
  ) throws -> SourceError? {
    let address = try #require(StreamAddress(text))
    do throws(SourceError) {
      _ = try CameraProgram.open(
        address, executable: "/bin/true", socket: "/nonexistent", environment: environment,
        missingPackages: { _ in missing })
      return nil
    } catch {
      return error
    }
  }

  @Test func missingPackagesAreNamed() throws {
    let one = try #require(try problem("libcamera:", missing: ["gstreamer1.0-libcamera"]))
    #expect(one.code == "cameraProgramMissing" && one.hint == "apt install gstreamer1.0-libcamera")
    #expect(one.message == "libcamera: cannot be opened: the package gstreamer1.0-libcamera is not installed")
    let two = try #require(try problem("pipewire:desk", missing: ["gstreamer1.0-tools", "gstreamer1.0-pipewire"]))
    #expect(two.hint == "apt install gstreamer1.0-tools gstreamer1.0-pipewire")
    #expect(two.message.hasSuffix("the packages gstreamer1.0-tools, gstreamer1.0-pipewire are not installed"))
  }

  @Test func withoutPipeWireThereIsNoCameraOfIt() throws {
    let problem = try #require(try problem("pipewire:", environment: ["PIPEWIRE_REMOTE": "/nonexistent/pipewire-0"]))
    #expect(problem.code == "cannotOpen" && problem.message.contains("/nonexistent/pipewire-0"))
  }
}
