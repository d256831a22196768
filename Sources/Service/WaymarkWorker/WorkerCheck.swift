import CSandbox
import Glibc
import WaymarkImage
import WaymarkSystem

/// Checks whether workers can be started here, and names the obstacle if not.
package struct WorkerCheck: Equatable, Sendable {
  /// The obstacle; nil if there is none.
  package let problem: String?
  /// The remedy; empty without a problem.
  package let hint: String
  /// How long it took a worker to start and to decode a picture, in seconds; 0 with a problem.
  package let seconds: Double

  private static let offHint =
    "Or set `isolation: off`, if every camera and every picture is trusted (docs/security.md)."

  /// The features that the kernel must give, their names, and what to do when it does not.
  private static let needs: [(need: Int, what: String, hint: String)] = [
    (
      CSANDBOX_MEMORY, "The system refuses shared memory for workers (memfd_create)",
      "It needs Linux 3.17 or newer; in a container, allow memfd_create in its seccomp profile."
    ),
    (
      CSANDBOX_CHANNEL_PAIR, "The system refuses a channel to workers (socketpair)",
      "In a container or a unit of your own, allow Unix sockets (RestrictAddressFamilies=AF_UNIX)."
    ),
    (
      CSANDBOX_PROC, "The program cannot start itself again (/proc/self/exe)",
      "Mount /proc, and let the program's file be executable for the service's user."
    ),
    (
      CSANDBOX_FILTER, "Workers cannot set up their sandbox (seccomp filters)",
      "Use a kernel with CONFIG_SECCOMP_FILTER; in a container, allow prctl(PR_SET_SECCOMP)."
    ),
  ]

  /// Tries everything that a worker needs, one after the other, and then a worker. Takes some tens of milliseconds.
  package init(_ launcher: WorkerLauncher = WorkerLauncher()) {
    for (need, what, hint) in Self.needs {
      let result = csandbox_probe(CInt(need))
      guard result == 0 else {
        let reason = String(cString: strerror(result))
        self.init(problem: "\(what): \(reason).", hint: "\(hint) \(Self.offHint)", seconds: 0)
        return
      }
    }
    let began = MonotonicClock.now
    do throws(WorkerFailure) {
      let worker = try launcher.start()
      guard try Self.decodes(worker) else { throw .malformedAnswer }
      self.init(problem: nil, hint: "", seconds: MonotonicClock.now - began)
    } catch {
      let hint = "Check the limits and the seccomp profile of the container or unit."
      self.init(problem: error.message, hint: "\(hint) \(Self.offHint)", seconds: 0)
    }
  }

  private init(problem: String?, hint: String, seconds: Double) {
    self.problem = problem
    self.hint = hint
    self.seconds = seconds
  }

  /// Returns whether it makes of a picture what this process makes of it.
  private static func decodes(_ worker: borrowing WorkerProcess) throws(WorkerFailure) -> Bool {
    // 4 x 4 gray pixels, PNM.
    let file = Array("P5 4 4 255\n".utf8) + (0..<16).map { UInt8($0 * 16) }
    worker.arena.input.copyBytes(from: file)
    let answer = try worker.ask(WorkerRequest.gray(size: file.count), limit: 10)
    guard answer.worked, let reply = GrayReply(worker.arena.output, count: answer.count) else { return false }
    return reply.width == 4 && reply.height == 4
      && reply.pixels(in: worker.arena.output).elementsEqual(file.suffix(16))
  }
}
