import Glibc

/// How the C library hands out memory.
enum MemoryArenas {
  /// A dozen threads that mostly sleep would each get an arena of their own and keep what they once needed. Two are
  /// enough for those that work at the same time (`mallopt(3)`, M_ARENA_MAX).
  static func limit() { _ = mallopt(-8, 2) }
}
