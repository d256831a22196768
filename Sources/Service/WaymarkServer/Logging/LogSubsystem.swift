package import Logging

/// A part of the service that logs, with a level of its own in the configuration: `log.levels.scan`.
package enum LogSubsystem: String, CaseIterable, Sendable {
  /// The life of the process: start, reload, end, configuration, watchdog.
  case service
  /// Connections and requests.
  case socket
  /// The source of frames.
  case camera
  /// Armed scans and their verdicts; never what a code says.
  case scan
  /// Captured pages; never what is on them.
  case documents
  case text
  /// Scenes, anchors, the AR session.
  case scenes
  /// Users, consents, the integrator's program; never who somebody is, nor what they typed.
  case accounts
  /// The hardware scan key.
  case trigger

  /// The key under which a logger carries it.
  static let key = "subsystem"
}

extension Logger {
  /// The same log, for a part of the service.
  package func subsystem(_ part: LogSubsystem) -> Logger {
    var logger = self
    logger[metadataKey: LogSubsystem.key] = "\(part.rawValue)"
    return logger
  }
}
