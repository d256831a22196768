/// A limit of the time that work may take.
package enum TimeLimit {
  /// Returns the value of `work`, which is cancelled after `limit`; nil if it takes longer, or throws.
  package static func value<Value: Sendable>(
    within limit: Duration, of work: @escaping @Sendable () async throws -> Value
  ) async -> Value? {
    await withTaskGroup(of: Value?.self) { group in
      group.addTask { try? await work() }
      group.addTask {
        try? await Task.sleep(for: limit)
        return nil
      }
      defer { group.cancelAll() }
      return await group.next() ?? nil
    }
  }
}
