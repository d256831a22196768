import Foundation
import Testing

/// A library is the old one or the new one, however the process that writes it ends.
@Suite("Recovery of anchor libraries", .serialized, .enabled(if: Interruption.isPossible, "needs a C compiler"))
struct LibraryRecoveryTests {
  private struct Bench {
    let folder: TemporaryFolder
    let old: Data
    let new: Data
    var library: String { folder.file("library.anchors") }
    var removal: [String] { ["anchors", "remove", library, "pump-7"] }

    init() throws {
      folder = try TemporaryFolder()
      let pictures = Executable.project.appendingPathComponent("Samples/scenes/pump-room").path
      let path = folder.file("library.anchors")
      let built = try Executable.run([
        "anchors", "build", "-o", path, pictures + "/pump-7.jpg", pictures + "/cabinet.jpg",
      ])
      try #require(built.status == 0, "\(built.diagnostics)")
      old = try Data(contentsOf: URL(fileURLWithPath: path))
      let removed = try Executable.run(["anchors", "remove", path, "pump-7"])
      try #require(removed.status == 0, "\(removed.diagnostics)")
      new = try Data(contentsOf: URL(fileURLWithPath: path))
    }

    func reset() throws { try old.write(to: URL(fileURLWithPath: library)) }
    var contents: Data? { try? Data(contentsOf: URL(fileURLWithPath: library)) }
  }

  @Test("Interrupted at every step", arguments: Interruption.Kind.allCases)
  fileprivate func interrupted(_ kind: Interruption.Kind) throws {
    let bench = try Bench()
    try bench.reset()
    let steps = try Interruption.steps(bench.removal, below: bench.folder.path)
    #expect(steps >= 6)
    for step in 1...steps {
      try bench.reset()
      let run = try Interruption.run(bench.removal, below: bench.folder.path, at: step, kind)
      let contents = bench.contents
      #expect(contents == bench.old || contents == bench.new, "step \(step) of \(steps)")
      switch kind {
      case .kill, .torn: #expect(run.status == -SIGKILL, "step \(step)")
      case .diskFull, .ioError:
        // The folder's own synchronisation is the last thing: the file is whole by then.
        if run.status == 0 {
          #expect(contents == bench.new, "step \(step)")
        } else {
          #expect(contents == bench.old, "step \(step)")
          #expect(run.diagnostics.contains("cannot be written"), "step \(step): \(run.diagnostics)")
        }
      }
      // A leftover file beside it does not fail the next run.
      try bench.reset()
      #expect(try Executable.run(bench.removal).status == 0, "step \(step)")
      #expect(bench.contents == bench.new, "step \(step)")
    }
  }
}
