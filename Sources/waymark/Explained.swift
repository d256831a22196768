/// What every error of the package can say of itself: a stable word, what happened to what, and what to do.
protocol Explained: Error {
  /// A stable camelCase word for programs.
  var explainedCode: String { get }
  /// What happened, to what.
  var message: String { get }
  /// What to do about it.
  var hint: String { get }
  /// How a command ends that fails with it.
  var exitStatus: ExitStatus { get }
}
