import Foundation

/// Runs `waymark` and interrupts it at a chosen step of what it does to files below a folder: Tests/Support/recovery.
enum Interruption {
  /// The library that does it, compiled once; nil where there is no C compiler.
  private static let library: String? = {
    let target = NSTemporaryDirectory() + "waymark-interrupt-\(getpid()).so"
    let source = Executable.project.appendingPathComponent("Tests/Support/recovery/interrupt.c").path
    let built = try? runProgram(["cc", "-shared", "-fPIC", "-O2", "-o", target, source, "-ldl"])
    return built?.status == 0 ? target : nil
  }()

  static var isPossible: Bool { library != nil }

  /// The fault at the step.
  enum Kind: String, CaseIterable {
    case kill
    case torn
    case diskFull = "28"
    case ioError = "5"
  }

  /// Runs to the end or to the interruption.
  static func run(
    _ arguments: [String], below folder: String, at step: Int, _ kind: Kind, hurry seconds: Int? = nil
  ) throws -> Executable.Run {
    var environment = [
      "LD_PRELOAD": library ?? "", "INTERRUPT_BELOW": folder, "INTERRUPT_AT": "\(step)",
      "INTERRUPT_WITH": kind.rawValue,
    ]
    environment["INTERRUPT_HURRY"] = seconds.map { "\($0)" }
    return try Executable.run(arguments, environment: environment)
  }

  /// How many steps it has.
  static func steps(_ arguments: [String], below folder: String, hurry seconds: Int? = nil) throws -> Int {
    let counted = try TemporaryFolder()
    var environment = [
      "LD_PRELOAD": library ?? "", "INTERRUPT_BELOW": folder, "INTERRUPT_COUNT": counted.file("steps"),
    ]
    environment["INTERRUPT_HURRY"] = seconds.map { "\($0)" }
    _ = try Executable.run(arguments, environment: environment)
    return try String(contentsOfFile: counted.file("steps"), encoding: .utf8).split(separator: "\n").count
  }
}
