import ArgumentParser
import Dispatch
import Glibc
import WaymarkWorker

/// Where the program starts.
///
/// A worker locks itself in while it has one thread: what runs asynchronous commands starts more, which would spin, because
/// nothing they wait with is allowed. So a worker branches off before that.
@main
enum Start {
  static func main() {
    let arguments = CommandLine.arguments
    if arguments.count == 2, arguments[1] == WorkerMain.argument {
      WorkerMain.run()
      // Comes back when it was not started by a service, or when that is gone.
      exit(ExitStatus.unavailable.rawValue)
    }
    Task {
      await Waymark.main(nil)
      exit(0)
    }
    dispatchMain()
  }
}
