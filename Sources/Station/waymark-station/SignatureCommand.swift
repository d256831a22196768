import ArgumentParser
import WaymarkCommands
import WaymarkOnboarding
import WaymarkPeople
import WaymarkSystem

/// `waymark signature`: files of signatures.
struct SignatureCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "signature", abstract: "Verify signatures that were saved.",
    subcommands: [SignatureVerifyCommand.self])
}

/// `waymark signature verify`: verifies the file of a signature.
struct SignatureVerifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Check whether a signature's file was changed: its strokes, its text, its picture.",
    discussion: """
      Takes SVG, PNG or JSON as returned by signature.get. The hash in the file is computed again from the strokes and the words, \
      and the whole file is made again and compared, byte by byte. Who can write the file can also write another hash: give the one that \
      your program was told when it was signed with --hash.
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

  private struct Report: Encodable {
    let input: String
    let whole: Bool
    let hash: String
    let unchanged: Bool
    let picture: Bool?
    let expected: Bool?
    let subject: Bool?
    let time: String
    let signer: String
    let purpose: String
    let strokes: Int
    let points: Int
    let seconds: Double
  }

  func run() throws {
    let bytes: [UInt8]
    do throws(FileError) {
      bytes = try WholeFile.read(file, limit: 32 << 20)
    } catch {
      Output.fail(.cannotOpen, error.message, hint: error.hint)
    }
    let finding: SignatureFinding
    do throws(SignatureError) {
      finding = try SignatureFinding.of(bytes)
    } catch {
      Output.fail(.badData, "\(file): \(error.message)", hint: error.hint)
    }
    let signature = finding.signature
    let isExpected = hash.map { $0.lowercased() == signature.hash }
    let isSubject = subject.map { $0 == signature.subject }
    let isWhole = finding.isWhole && isExpected != false && isSubject != false
    let points = signature.strokes.reduce(0) { $0 + $1.count }
    let seconds = Double(signature.strokes.last?.last?.time ?? 0) / 1000
    if json {
      try Output.record(
        Report(
          input: file, whole: isWhole, hash: signature.hash, unchanged: finding.isUnchanged,
          picture: finding.matchesPicture, expected: isExpected, subject: isSubject, time: signature.time,
          signer: signature.signer, purpose: signature.purpose, strokes: signature.strokes.count, points: points,
          seconds: seconds))
    } else {
      Output.line(isWhole ? "unchanged" : "changed")
      if !finding.isUnchanged { Output.line("  the strokes or the text do not match the hash") }
      if finding.matchesPicture == false {
        Output.line("  the file differs from one made from these strokes and this text")
      }
      if isExpected == false { Output.line("  the hash differs from --hash") }
      let (signer, purpose) = (DisplayText.escaped(signature.signer), DisplayText.escaped(signature.purpose))
      if isSubject == false { Output.line("  something else was signed: \(DisplayText.escaped(signature.subject))") }
      Output.line("  signed \(DisplayText.escaped(signature.time))\(signer.isEmpty ? "" : " by \(signer)")")
      if !purpose.isEmpty { Output.line("  for \(purpose)") }
      Output.line("  \(signature.strokes.count) strokes, \(points) points in \(seconds) s")
      Output.line("  SHA-256 \(signature.hash)")
    }
    if !isWhole { throw ExitCode(ExitStatus.invalid.rawValue) }
  }
}
