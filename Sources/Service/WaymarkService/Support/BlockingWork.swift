package import NIOPosix

/// Threads for what blocks, so that nothing waits behind what takes long. Files, cameras and scenes have those of NIO.
package enum BlockingWork {
  /// For writing confirmations down: a person waits for that. The lenses of cameras, seldom and short, go with them.
  package static let records = started(1)
  /// For passcodes: computing one takes a fifth of a second.
  package static let passcodes = started(1)
  /// For writing users down, in order.
  package static let accounts = started(1)

  /// For the pages of documents: written one after the other, and drawn for saving.
  package static let documents = started(1)

  private static func started(_ threads: Int) -> NIOThreadPool {
    let pool = NIOThreadPool(numberOfThreads: threads)
    pool.start()
    return pool
  }
}
