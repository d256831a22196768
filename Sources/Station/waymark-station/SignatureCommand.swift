import ArgumentParser
import WaymarkCommands
import WaymarkStation
import WaymarkSystem

/// `waymark signature`: the command for files of signatures. Its one subcommand, `verify`, is in this file.
struct SignatureCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "signature", abstract: "Verify signatures that were saved.",
    subcommands: [SignatureVerifyCommand.self])
}

/// `waymark signature verify`: checks the file of a signature.
struct SignatureVerifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Check whether a signature's file was changed: its strokes, its text, its picture.",
    discussion: """
      Takes SVG, PNG or JSON as returned by signature.get. The hash in the file is computed again from the strokes and the words, \
      and the whole file is made again and compared, byte by byte. Someone who can write the file can also write another hash: give the one \
      that your program received on signing with --hash.
      Ends with 0 when nothing was changed, 2 when something was, 65 when it is not a signature.
      Example:
        waymark signature verify signed.svg --hash 9f86d081…
      """)

  @Argument(help: "The file.")
  var file: String

  @Option(help: "The hash of signature.saved.")
  var hash: String?

  @Option(help: "What should have been signed: the subject that signature.save was given.")
  var subject: String?

  @Flag(help: "Print one JSON object.")
  var json = false

  func run() throws {
    let bytes: [UInt8]
    do throws(FileError) {
      bytes = try WholeFile.read(file, limit: 32 << 20)
    } catch {
      Output.fail(.cannotOpen, error.message, hint: error.hint)
    }
    let report: SignatureReport
    do {
      report = try SignatureReport(bytes, input: file, expectedHash: hash, expectedSubject: subject)
    } catch {
      Output.fail(.badData, "\(file): \(error.message)", hint: error.hint)
    }
    if json { try Output.record(report) } else { Output.line(report.text) }
    if !report.whole { throw ExitCode(ExitStatus.invalid.rawValue) }
  }
}
