import Foundation
import Glibc
import Testing
import WaymarkSystem

@testable import WaymarkFocus

/// A desktop by X11, with a script in place of xprop.
@Suite struct FocusWatcherTests {
  @Test("An X server that does not answer is told and asked again", .timeLimit(.minutes(1)))
  func hungServer() async throws {
    let folder = NSTemporaryDirectory() + "waymark-focus-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    // The first question hangs, deaf to what asks it to end; later ones are answered.
    let script = """
      #!/bin/sh
      trap '' TERM
      case "$1" in
      -root) echo $$ >> \(folder)/spies; echo '_NET_ACTIVE_WINDOW(WINDOW): window id # 0x1e00007'; exec sleep 600 ;;
      -id) if [ -e \(folder)/asked ]; then echo 'WM_CLASS(STRING) = "navigator", "Firefox"'; exit; fi
        echo $$ > \(folder)/asked; exec sleep 600 ;;
      esac
      """
    try script.write(toFile: folder + "/xprop", atomically: true, encoding: .utf8)
    #expect(chmod(folder + "/xprop", 0o755) == 0)
    let (focus, focused) = AsyncStream.makeStream(of: String?.self)
    let (problems, problem) = AsyncStream.makeStream(of: FocusError.self)
    let watcher = FocusWatcher(
      .x11, xprop: folder + "/xprop", patience: 0.2, onFocus: { focused.yield($0) }, onProblem: { problem.yield($0) })
    watcher.start {}
    var told = problems.makeAsyncIterator()
    #expect(await told.next()?.message.contains("does not answer") == true)
    for await program in focus where program == "Firefox" { break }
    let asked = try #require(pid_t(String(contentsOfFile: folder + "/asked", encoding: .utf8).dropLast()))
    #expect(kill(asked, 0) != 0)
    watcher.stop()
    let spies = try String(contentsOfFile: folder + "/spies", encoding: .utf8).split(separator: "\n")
    #expect(spies.count == 2 && spies.allSatisfy { pid_t($0).map { kill($0, 0) != 0 } == true })
  }
}
