import Foundation

/// How often the calling thread has asked for memory: told by a library that is loaded before the tests
/// (`Tests/Support/allocations`, `Scripts/test-allocations`).
enum AllocationCount {
  static let counter: (@Sendable () -> UInt64)? = {
    guard let symbol = dlsym(nil, "counted_allocations") else { return nil }
    typealias Count = @convention(c) () -> UInt64
    let count = unsafeBitCast(symbol, to: Count.self)
    return { count() }
  }()

  /// How often `body` asks for memory; `nil` without the library.
  static func during(_ body: () -> Void) -> UInt64? {
    guard let counter else { return nil }
    let before = counter()
    body()
    return counter() - before
  }
}
