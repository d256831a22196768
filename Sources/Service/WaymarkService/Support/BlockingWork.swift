package import NIOPosix

/// Threads for blocking work, separate by purpose, so that short work does not wait for long work. Work on files, cameras and
/// scenes uses the threads of NIO instead.
package enum BlockingWork {
  /// The thread that writes confirmations, for which a person waits, and camera lenses, which are written seldom and fast.
  package static let records = started(1)
  /// The thread that computes the hashes of passcodes, which take a fifth of a second each.
  package static let passcodes = started(1)
  /// The thread that writes user records, in order.
  package static let accounts = started(1)

  /// The thread that writes the pages of documents one after the other, and renders them for saving.
  package static let documents = started(1)

  private static func started(_ threads: Int) -> NIOThreadPool {
    let pool = NIOThreadPool(numberOfThreads: threads)
    pool.start()
    return pool
  }
}
