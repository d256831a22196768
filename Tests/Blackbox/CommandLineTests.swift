import Foundation
import Testing

/// The rules for every command: where output goes, how it ends, what it says when it is called wrongly.
@Suite(.timeLimit(.minutes(2)))
struct CommandLineTests {
  private let pictures = Executable.project.appendingPathComponent("Samples/pictures").path

  /// Runs a line of the shell in which `$W` is the program and `$P` the folder of sample pictures.
  private func shell(_ line: String, in folder: String = "/tmp") throws -> Executable.Run {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/bash")
    // The program is found by its folder, which may have any name: `$W` stands unquoted in the lines.
    process.arguments = [
      "-c", "cd \"$1\"; PATH=$2:$PATH; W=waymark-station; P=$3; \(line)", "bash", folder,
      (Executable.path as NSString).deletingLastPathComponent, pictures,
    ]
    let (output, words) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = words
    try process.run()
    let diagnostics = words.fileHandleForReading
    let text = output.fileHandleForReading.readDataToEndOfFile()
    let said = diagnostics.readDataToEndOfFile()
    process.waitUntilExit()
    return Executable.Run(
      status: process.terminationStatus, output: text, diagnostics: String(decoding: said, as: UTF8.self))
  }

  @Test(
    "A result that cannot be written is said, and ends with 74",
    arguments: [
      #"scan "$P/wifi.png""#, #"scan --json "$P/wifi.png""#, #"scan --raw "$P/wifi.png""#, "onboarding check x",
      "socket-path",
      "onboarding check --json x", "completions bash", "--help", "scan --help", "--version", "config check /dev/null",
    ])
  func fullDisk(_ command: String) throws {
    let run = try shell("$W \(command) >/dev/full")
    #expect(run.status == 74)
    #expect(run.diagnostics.contains("No space left on device"))
  }

  @Test("A PDF goes to standard output, completely or not at all")
  func documentsToStandardOutput() throws {
    let good = try shell(#"$W documents scan "$P/onboarding-on-a-card.jpg" -o - | head -c 5"#)
    #expect(good.output == Data("%PDF-".utf8))
    let bad = try shell(#"$W documents scan "$P/onboarding-on-a-card.jpg" missing.jpg -o -"#)
    #expect(bad.status == 66 && bad.output.isEmpty)
  }

  @Test(
    "A file that cannot be written is said, ends with 74, and leaves no half of it",
    arguments: [
      "onboarding keygen --key out.pem", "report -o out.txt", #"scan --annotate out.png "$P/wifi.png""#,
    ])
  func fullFile(_ command: String) throws {
    let folder = try TemporaryFolder()
    // No file may have a byte, as on a full disk.
    let run = try shell("trap '' XFSZ; ulimit -f 0; $W \(command)", in: folder.path)
    #expect(run.status == 74, "\(run.diagnostics)")
    #expect(run.diagnostics.contains("out.") && run.diagnostics.contains("cannot be written"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
  }

  @Test(
    "What can be no source is refused at once",
    arguments: [
      ("srt://camera", "ffmpeg"), ("pipewire://camera", "malformed"), ("rtsp:///stream", "malformed"),
      ("a.gif", "is a GIF"), ("a.mp4", "is an MP4 film"), ("a.webm", "is a Matroska or WebM film"),
    ])
  func sources(_ source: String, _ wanted: String) throws {
    let folder = try TemporaryFolder()
    try Data("GIF89a          ".utf8).write(to: URL(fileURLWithPath: folder.file("a.gif")))
    try Data([0, 0, 0, 24] + Array("ftypisom        ".utf8)).write(to: URL(fileURLWithPath: folder.file("a.mp4")))
    try Data([0x1A, 0x45, 0xDF, 0xA3, 0, 0, 0, 0]).write(to: URL(fileURLWithPath: folder.file("a.webm")))
    let run = try shell("$W serve --source '\(source)' --socket '\(folder.path)/s'", in: folder.path)
    #expect(run.status == 65)
    #expect(run.diagnostics.contains(wanted) && run.diagnostics.contains("an MJPEG or Y4M file"))
  }

  @Test("A problem of the configuration is printed once")
  func printedOnce() throws {
    let folder = try TemporaryFolder()
    let run = try shell("printf 'scan: {rate: x}' > w.yaml; $W serve --config w.yaml --socket s", in: folder.path)
    #expect(run.status == 65)
    #expect(run.diagnostics.components(separatedBy: "w.yaml:1: scan.rate").count == 2, "\(run.diagnostics)")
  }

  @Test("An address with a password is refused where everybody could read it")
  func secretSource() throws {
    let run = try shell("$W serve --source 'rtsp://me:secret@camera/stream' --socket /nonexistent/s")
    #expect(run.status == 65)
    #expect(run.diagnostics.contains("source.credentials") && !run.diagnostics.contains("secret"))
  }

  @Test(
    "The demo judges a code, finds a poster, and leaves nothing behind", arguments: [Executable.path, Executable.base])
  func demo(_ program: String) throws {
    let folders = {
      try FileManager.default.contentsOfDirectory(atPath: "/tmp").filter { $0.hasPrefix("waymark-demo-") }
    }
    let before = try folders()
    // The environment and the configuration of the device are not those of the demo.
    let run = try Executable.run(
      ["demo", "--seconds", "1"], environment: ["WAYMARK_SCAN_RATE": "no number"], program: program)
    #expect(run.status == 0, "\(run.diagnostics)")
    #expect(run.text.contains("mobile.example.com") && run.text.contains("anchor.found"), "\(run.text)")
    #expect(Set(try folders()).subtracting(before).isEmpty)
  }

  @Test("A short option may have its value attached") func attachedValue() throws {
    #expect(try shell("$W scan -j1 \"$P/wifi.png\"").status == 0)
    let file = "/tmp/waymark-attached-\(ProcessInfo.processInfo.processIdentifier).pdf"
    defer { unlink(file) }
    let run = try shell("$W documents scan -o\(file) \"$P\"/*.png")
    #expect(run.status != 64 && !run.diagnostics.contains("Usage"), "\(run.diagnostics)")
  }

  @Test("An error while a command runs shows the command's own usage") func ownUsage() throws {
    let run = try shell("$W send ping '{x'")
    #expect(run.status == 64)
    #expect(run.diagnostics.contains("Usage: waymark send "), "\(run.diagnostics)")
  }

  private static let hasNamespaces = (try? runProgram(["unshare", "-rm", "true"]))?.status == 0

  @Test("Without /proc the program knows its arguments", .enabled(if: hasNamespaces, "needs user namespaces"))
  func withoutProc() throws {
    let run = try shell(
      "unshare -rm sh -c 'mount -t tmpfs none /proc && waymark-station --version && waymark-station scan \"$1\"' sh \"$P/wifi.png\""
    )
    #expect(run.status == 0)
    #expect(run.text.contains("QR Code"))
  }

  @Test("A reader that goes away ends the command well", arguments: ["--json", "--raw", ""])
  func goneReader(_ form: String) throws {
    let run = try shell(
      "{ for i in {1..40}; do printf '%s\\0' \"$P/wifi.png\"; done; } | "
        + "xargs -0 $W scan \(form) | { head -c 1 >/dev/null; }; echo ${PIPESTATUS[1]}")
    #expect(run.text == "0\n")
  }

  @Test(
    "A wrong call ends with 64 and says what is wanted",
    arguments: [
      ("watch --count 0", "from 1 on"), ("send scan.picture '{\"size\":10}'", "--file"),
      ("send scan.begin '{}'", "--hold"), ("send media.snapshot", "-o"), ("send ping -o x", "-o needs a method"),
      ("send ping --file x", "--file is for"), ("serve --log-level loud", "--log-level takes"),
      ("serve --auto-begin x", "--auto-begin takes"), ("completions tcsh", "bash, zsh or fish"),
      ("scan -dash.png", "no option -dash.png"), ("scan -harvest.jpg", "./ before it"),
      ("onboarding verify", "Commands are check, confirm, sign, keygen."), ("anchors frob", "quality"),
      ("config frob", "Commands are check, show."),
      ("scn a.png", "Did you mean waymark scan?"), ("documents scann a.png", "Did you mean waymark documents scan?"),
    ])
  func wrongCalls(_ command: String, _ wanted: String) throws {
    let run = try shell("timeout 20 $W \(command)")
    #expect(run.status == 64, "\(run.diagnostics)")
    #expect(run.diagnostics.contains(wanted), "\(run.diagnostics)")
    #expect(!run.diagnostics.contains("<subcommand>"))
  }

  @Test(
    "Files that are not there end with 66",
    arguments: ["serve --config /nowhere/f", "onboarding sign --key /nowhere/k -"])
  func missingFiles(_ command: String) throws {
    let run = try shell("timeout 20 $W \(command) </dev/null")
    #expect(run.status == 66)
    #expect(run.diagnostics.contains("/nowhere/"))
  }

  @Test("Shells get their completions", arguments: ["bash", "zsh", "fish"])
  func completions(_ shell: String) throws {
    let run = try Executable.run(["completions", shell])
    #expect(run.status == 0)
    #expect(run.text.contains("waymark") && run.text.contains("onboarding"))
  }

  @Test("Drawing over an input is refused under any of its names")
  func annotateOverInput() throws {
    let folder = try TemporaryFolder()
    let file = folder.file("a.png")
    try FileManager.default.copyItem(atPath: pictures + "/wifi.png", toPath: file)
    try FileManager.default.createSymbolicLink(atPath: folder.file("b.png"), withDestinationPath: file)
    let before = try Data(contentsOf: URL(fileURLWithPath: file))
    for target in [file, folder.path + "/./a.png", folder.file("b.png")] {
      let run = try Executable.run(["scan", file, "--annotate", target])
      #expect(run.status == 64)
      #expect(run.diagnostics.contains("write over the input"))
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == before)
    #expect(try Executable.run(["scan", file, "--annotate", folder.file("c.png")]).status == 0)
  }

  @Test("What is not a file is written into, not replaced")
  func devices() throws {
    let folder = try TemporaryFolder()
    let run = try shell(
      "mkfifo p.png; timeout 20 cat p.png >copy.png & $W scan -q --annotate p.png \"$P/wifi.png\"; echo $?; wait; "
        + "test -p p.png && head -c 4 copy.png | tail -c 3", in: folder.path)
    #expect(run.text == "0\nPNG")
  }

  @Test("A pipe is read while it has a writer, and given up without one")
  func pipes() throws {
    let folder = try TemporaryFolder()
    let run = try shell(
      "mkfifo p; { sleep 0.2; cat \"$P/wifi.png\"; } >p & $W scan --raw p; timeout 30 $W scan p; echo $?",
      in: folder.path)
    #expect(run.text == "WIFI:T:WPA;S:Guests;P:wet-pumps-37;;\n66\n")
    #expect(run.diagnostics.contains("nothing came out of this pipe"))
    #expect(try shell("$W scan --raw <(cat \"$P/wifi.png\")").status == 0)
  }

  @Test("Names that are not UTF-8 are read like others, in folders and by name")
  func foreignNames() throws {
    let folder = try TemporaryFolder()
    let run = try shell(
      "f=$(printf 'caf\\351.png'); cp \"$P/wifi.png\" \"$f\"; $W scan --json . \"$f\" \"$P/wifi.png\"",
      in: folder.path)
    #expect(run.status == 0)
    #expect(run.objects.map { $0["input"] as? String } == [#"./caf\xE9.png"#, #"caf\xE9.png"#, pictures + "/wifi.png"])
    #expect(run.objects.allSatisfy { $0["outcome"] as? String == "successful" })
  }

  @Test("Of folders the pictures alone, where they alone are wanted")
  func picturesOnly() throws {
    let folder = try TemporaryFolder()
    try FileManager.default.copyItem(atPath: pictures + "/wifi.png", toPath: folder.file("a.png"))
    try Data("notes".utf8).write(to: URL(fileURLWithPath: folder.file("notes.txt")))
    #expect(try Executable.run(["scan", "--json", folder.path]).status == 65)
    let run = try Executable.run(["scan", "--json", "--pictures-only", folder.path])
    #expect(run.status == 0)
    #expect(run.objects.count == 1 && run.diagnostics.isEmpty)
    #expect(try Executable.run(["scan", "--pictures-only", folder.file("notes.txt")]).status == 65)
  }

  @Test("No control character of foreign text reaches the terminal from any command")
  func controls() throws {
    let folder = try TemporaryFolder()
    let bad = "a\u{1B}[2J\u{9B}0m\u{202E}"
    try FileManager.default.copyItem(atPath: pictures + "/wifi.png", toPath: folder.file("\(bad).png"))
    try Data("\"\\e[2J\\x9b\": 1\nonboarding: {\"k\\e]0;x\": 1}\n".utf8).write(
      to: URL(fileURLWithPath: folder.file("w.yaml")))
    try Data("\"\\e[2J\\x9b\": 1\nname: x\n".utf8).write(to: URL(fileURLWithPath: folder.file("scene.yaml")))
    for command in [
      "scan --json .", "scan .", "config check w.yaml", "onboarding check x --policy w.yaml", "scene check .",
      "scene check --json .", "onboarding check '\(bad)'", "onboarding check --json '\(bad)'", "scan nowhere\(bad)",
      "anchors list nowhere\(bad)",
    ] {
      let run = try shell("$W \(command) 2>&1", in: folder.path)
      #expect(!run.output.isEmpty)
      let scalars = run.text.unicodeScalars
      #expect(
        !scalars.contains { $0.properties.generalCategory == .control && $0 != "\n" && $0 != "\t" || $0 == "\u{202E}" },
        "\(command): \(run.text.debugDescription)")
    }
  }
}
