import CFuzzer
import Glibc

/// Runs a target under libFuzzer, or writes the inputs it starts from: `--write-seeds FOLDER`.
public func fuzz(
  seeds: @autoclosure () -> [[UInt8]],
  body: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) {
  let arguments = CommandLine.arguments
  if arguments.count == 3, arguments[1] == "--write-seeds" {
    for (number, seed) in seeds().enumerated() { FuzzFile.write(seed, to: "\(arguments[2])/own-\(number)") }
    exit(0)
  }
  var count = CommandLine.argc
  var values: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
  exit(LLVMFuzzerRunDriver(&count, &values, body))
}

/// The bytes of an input.
public func input(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> [UInt8] {
  Array(UnsafeBufferPointer(start: bytes, count: count))
}

/// Ends the run as a finding: what must always hold did not.
public func require(_ condition: Bool, _ message: @autoclosure () -> String) {
  if !condition { fatalError(message()) }
}

/// A file in memory, for what reads files only.
public enum FuzzFile {
  /// A place of this process's own.
  public static func path(_ name: String) -> String { "/dev/shm/waymark-fuzz-\(getpid())-\(name)" }

  /// Writes a whole file.
  public static func write(_ bytes: [UInt8], to path: String) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    require(descriptor >= 0, "cannot write \(path)")
    defer { close(descriptor) }
    var done = 0
    while done < bytes.count {
      let written = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress! + done, bytes.count - done) }
      require(written > 0, "cannot write \(path)")
      done += written
    }
  }
}
