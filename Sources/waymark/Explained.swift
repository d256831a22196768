/// An error of the package that explains itself: a stable word, what happened to what, and what to do.
protocol Explained: Error {
  /// A stable camelCase word for programs.
  var explainedCode: String { get }
  /// The fault, and the thing it happened to.
  var message: String { get }
  /// The remedy.
  var hint: String { get }
  /// How a command ends that fails with it.
  var exitStatus: ExitStatus { get }
}
