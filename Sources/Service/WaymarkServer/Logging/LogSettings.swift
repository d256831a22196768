package import Logging

/// The levels and the format of the log.
package struct LogSettings: Hashable, Sendable {
  /// How a line is written.
  package enum Format: String, CaseIterable, Sendable {
    /// `waymark.scan: a code was refused reason=expired`.
    case text
    /// One JSON object a line.
    case json
  }

  /// For what has no level of its own.
  package var level: Logger.Level
  /// Levels of parts.
  package var levels: [LogSubsystem: Logger.Level]
  /// How a line is written.
  package var format: Format

  /// Settings from their parts.
  package init(level: Logger.Level = .info, levels: [LogSubsystem: Logger.Level] = [:], format: Format = .text) {
    self.level = level
    self.levels = levels
    self.format = format
  }

  /// The level that holds for a part.
  package func level(of part: LogSubsystem?) -> Logger.Level { part.flatMap { levels[$0] } ?? level }
}
