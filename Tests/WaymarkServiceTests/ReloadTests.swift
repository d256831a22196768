import Testing
import WaymarkConfiguration
import WaymarkSystem

@testable import WaymarkServer
@testable import WaymarkService

@Suite @ServiceActor struct ReloadTests {
  /// Holds a reload until it is let go.
  @ServiceActor
  private final class Gate {
    private(set) var begun = 0
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private var isOpen = false

    func pass() async -> Int {
      begun += 1
      let number = begun
      if !isOpen { await withCheckedContinuation { waiting.append($0) } }
      return number
    }

    func open() {
      isOpen = true
      for one in waiting { one.resume() }
      waiting = []
    }
  }

  @Test func everybodyInAStormIsAnswered() async throws {
    let gate = Gate()
    let module = ReloadModule { ["\(await gate.pass())"] }
    let first = Task { @ServiceActor in try await module.run() }
    while gate.begun == 0 { await Task.yield() }
    // All of these ask while the first one reads the file: a second reading serves them all.
    let (asked, asking) = AsyncStream.makeStream(of: Void.self)
    let others = (0..<50).map { _ in
      Task { @ServiceActor in
        asking.yield()
        return try await module.run()
      }
    }
    var count = 0
    for await _ in asked {
      count += 1
      if count == 50 { break }
    }
    gate.open()
    #expect(try await first.value == ["1"])
    for other in others { #expect(try await other.value == ["2"]) }
    #expect(gate.begun == 2)
    #expect(try await module.run() == ["3"])
  }

  @Test func aReloadIsComparedWithWhatRuns() {
    let running = ServiceConfiguration(stationSchema)
    var wanted = ServiceConfiguration([["forms.folder": .string("/elsewhere")]], schema: stationSchema)
    wanted.source.rate = 7
    wanted.camera.closeAfter = 3
    wanted.scan.rate = 5
    let (first, restart) = running.running(insteadOf: wanted)
    #expect(restart == ["source", "camera.closeAfter", "forms.folder"])
    #expect(first.scan.rate == 5 && first.source.rate == nil && first.camera.closeAfter == 10)
    // The same file again asks for the same; the old one for nothing.
    #expect(first.running(insteadOf: wanted).restart == restart)
    #expect(first.running(insteadOf: running).restart.isEmpty)
  }
}
