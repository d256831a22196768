import Foundation
import Testing

/// A worker that is compromised by its picture: it blocks every signal, and another process keeps its channel open.
@Suite(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/python3"), "needs python3"))
struct WorkerLifeTests {
  /// In the place of a service: starts the worker with all signals blocked, leaves the other end of the channel to a process that
  /// outlives it, prints the numbers of both and what the worker's check of itself said, and waits to be killed.
  private static let parent = """
    import mmap, os, signal, socket, struct, sys
    arena = os.memfd_create("arena")
    os.ftruncate(arena, int(sys.argv[2]))
    here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    keeper = os.fork()
    if keeper == 0:
      os.setsid()
      there.close()
      signal.pause()
    worker = os.fork()
    if worker == 0:
      ends = os.dup(there.fileno()), os.dup(arena)
      channel, memory = (os.dup2(end, 100 + index) for index, end in enumerate(ends))
      os.dup2(channel, 3)
      os.dup2(memory, 4)
      os.closerange(5, 256)
      signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
      os.execv(sys.argv[1], ["waymark-worker", "worker"])
    there.close()
    greeting, open_ways = struct.unpack("<II", here.recv(64))
    print(keeper, worker, greeting, open_ways, file=sys.stderr, flush=True)
    signal.pause()
    """

  /// Both limits of an arena, rounded up: what the service gives a worker.
  private static let arenaSize = 256 << 20

  @Test func itEndsWithItsServiceAndCannotAskForMoreMemory() throws {
    let folder = try TemporaryFolder()
    let said = folder.file("said")
    let process = try ChildProcess(
      ["/usr/bin/python3", "-IS", "-c", Self.parent, Executable.path, "\(Self.arenaSize)"], diagnostics: said)
    let deadline = Date(timeIntervalSinceNow: 30)
    var line = ""
    while line.last != "\n", process.isRunning, Date() < deadline {
      line = (try? String(contentsOfFile: said, encoding: .utf8)) ?? ""
    }
    let numbers = line.split { $0 == " " || $0 == "\n" }.compactMap { Int32($0) }
    try #require(numbers.count == 4, "\(line)")
    let (keeper, worker) = (numbers[0], numbers[1])
    defer { kill(keeper, SIGKILL) }
    // Nothing that the filter and the limits should have closed is open: growing stacks and endless address space among it.
    #expect(numbers[2] == 0x574D_4B31)
    #expect(numbers[3] == 0)
    #expect(kill(worker, 0) == 0)
    process.send(SIGKILL)
    #expect(process.wait() == SIGKILL)
    while Self.isAlive(worker), Date() < deadline {}
    #expect(!Self.isAlive(worker))
  }

  /// Returns whether a process still runs; a zombie does not.
  private static func isAlive(_ process: Int32) -> Bool {
    guard let line = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
      let end = line.lastIndex(of: ")")
    else { return false }
    return line[line.index(after: end)...].split(separator: " ").first != "Z"
  }
}
