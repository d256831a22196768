import ArgumentParser
import Foundation
import Glibc

/// `waymark bridge`: the bridge to an MQTT broker, which is a program and a package of its own.
struct BridgeExec: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bridge",
    abstract: "Tell an MQTT broker what the service sees (package waymark-bridge).",
    discussion: """
      Arguments go to waymark-bridge: --config FILE, --socket PATH, --check. As a service: systemctl enable --now waymark-bridge.
      Example:
        waymark bridge --check
      """)

  @Argument(parsing: .captureForPassthrough, help: "Arguments of waymark-bridge.")
  var arguments: [String] = []

  func run() throws {
    // Beside this program, as both are built and installed; else where programs are.
    let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    let beside = (own as NSString).deletingLastPathComponent + "/waymark-bridge"
    let program = access(beside, X_OK) == 0 ? beside : "waymark-bridge"
    var words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) } + [nil]
    execvp(program, &words)
    Output.fail(
      .unavailable, "The bridge is not installed: \(String(cString: strerror(errno)))",
      hint: "apt install ./waymark-bridge_VERSION_ARCHITECTURE.deb (Scripts/package-bridge makes it).")
  }
}
