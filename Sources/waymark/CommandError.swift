import WaymarkSystem

/// An error that a command can end with: it explains itself and has an exit status.
protocol CommandError: ExplainedError {
  /// How a command ends that fails with it.
  var exitStatus: ExitStatus { get }
}
