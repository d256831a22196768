import Foundation

@testable import WaymarkWorker

/// A program in place of `waymark-text` that greets like it, and then answers as a test wants.
final class FakeTextEngine: Sendable {
  /// Where it is.
  let path: String
  /// Where it may leave notes, one line per line that it was asked for.
  let notes: String
  private let folder: String

  static let isPossible = FileManager.default.isExecutableFile(atPath: "/usr/bin/python3")

  /// - Parameter body: Python that answers one request, in which `text(words)` answers a line surely, `symbol(text, sure)` makes a
  ///   symbol, `answer(symbols, count)` answers some, `say(status, count)` says that so many bytes were written to `arena`; `asked` counts
  ///   from 1, `width` and `height` are those of the picture.
  init(_ body: String) throws {
    folder = NSTemporaryDirectory() + "waymark-text-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    path = folder + "/engine"
    notes = folder + "/notes"
    let program = """
      #!/usr/bin/python3 -IS
      import math, mmap, os, signal, struct, time
      def say(status, count): os.write(3, struct.pack("<II", status, count))
      def word(text): return struct.pack("<I", len(text.encode())) + text.encode()
      def symbol(text, sure=0.95, left=0.0, right=1.0, begins=0, choices=()):
        return (word(text) + struct.pack("<d", sure) + struct.pack("<I", len(choices))
          + b"".join(word(t) + struct.pack("<d", c) for t, c in choices) + struct.pack("<ddI", left, right, begins))
      def answer(symbols, count=None):
        bytes = struct.pack("<I", len(symbols) if count is None else count) + b"".join(symbols)
        arena[:len(bytes)] = bytes
        say(0, len(bytes))
      def text(words):
        n = max(1, len(words))
        answer([symbol(c, 0.95, i / n, (i + 1) / n) for i, c in enumerate(words)])
      arena = mmap.mmap(4, \(WorkerArena.outputLimit), offset=\(WorkerArena.inputLimit))
      say(0x\(String(WorkerEndpoint.greeting, radix: 16)), 0)
      asked = 0
      while True:
        request = os.read(3, 64)
        if not request: break
        _, width, height, reader, alphabet = struct.unpack("<IIIII", request)
        if reader == 2:  # Waymark's own network says nothing here.
          arena[:8] = bytes(8)
          say(0, 8)
          continue
        asked += 1
        with open("\(notes)", "a") as file: file.write(f"{os.getpid()}\\n")
        \(body)
      """
    try program.write(toFile: path + ".py", atomically: true, encoding: .utf8)
    // Another process makes the executable: a child that some other test starts at this moment would hold a file open that is
    // written here, and what is open for writing cannot be run.
    let install = try Process.run(
      URL(fileURLWithPath: "/usr/bin/install"), arguments: ["-m", "755", path + ".py", path])
    install.waitUntilExit()
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  /// The processes that were asked, one a line.
  var asked: [String] {
    ((try? String(contentsOfFile: notes, encoding: .utf8)) ?? "").split(separator: "\n").map(String.init)
  }
}
