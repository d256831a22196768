import Dispatch
import Testing

/// Runs a test on a thread of its own: one that waits for bytes must not keep the shared threads from whom it waits for.
struct OwnThread: TestTrait, SuiteTrait, TestScoping {
  let isRecursive = true

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    guard testCase != nil else { return try await function() }
    try await withTaskExecutorPreference(Executor()) { try await function() }
  }

  private final class Executor: TaskExecutor {
    private let queue = DispatchQueue(label: "test")

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
  }
}

extension Trait where Self == OwnThread {
  /// For tests that block.
  static var ownThread: OwnThread { OwnThread() }
}
