import CSandbox
import Glibc

/// How workers are started.
package struct WorkerLauncher: Hashable, Sendable {
  /// The program.
  package let executable: String
  /// What it is called in lists of processes, and what it is told.
  private let arguments: [String]

  /// `executable` runs `WorkerMain` when its first argument is `WorkerMain.argument`. Usually that is the program that runs now,
  /// even when its file was replaced meanwhile.
  package init(executable: String = "/proc/self/exe") {
    self.init(executable: executable, arguments: ["waymark-worker", WorkerMain.argument])
  }

  /// A program that greets and answers as `WorkerMain` does.
  init(executable: String, arguments: [String]) {
    self.executable = executable
    self.arguments = arguments
  }

  /// A worker that has locked itself in.
  func start() throws(WorkerFailure) -> WorkerProcess {
    let process = try spawn()
    try process.waitUntilReady()
    return process
  }

  /// A worker that is yet to lock itself in.
  func spawn() throws(WorkerFailure) -> WorkerProcess {
    var worker = csandbox_worker(process: 0, channel: -1, arena: -1)
    var arguments: [UnsafeMutablePointer<CChar>?] = self.arguments.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    let result = csandbox_spawn(executable, &arguments, WorkerArena.size, &worker)
    guard result == 0 else { throw .cannotStart(reason: String(cString: strerror(result))) }
    guard let arena = WorkerArena(owning: worker.arena) else {
      WorkerProcess.end(worker.process)
      close(worker.channel)
      throw .cannotStart(reason: "there is no address space for its arena")
    }
    return WorkerProcess(worker, arena: arena)
  }
}
