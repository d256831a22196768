import Foundation
import Testing

/// What the scripts share (`Scripts/common.sh`), with made-up programs in the place of Debian's.
@Suite struct ScriptsTests {
  private struct Case: CustomTestStringConvertible {
    let wanted: [String]
    var installed = ""
    var available = ""
    var installs = ""
    var fails = ""

    var testDescription: String { "\(wanted) with \(installed) installed and \(available) on offer" }
  }

  @Test(
    "need installs what is missing, under the name that this release has",
    arguments: [
      Case(wanted: ["one", "two"], installed: "one two"),
      Case(wanted: ["one", "two"], installed: "two", available: "one two", installs: "one"),
      Case(wanted: ["old|new"], installed: "new", available: "old new"),
      Case(wanted: ["old|new"], available: "new", installs: "new"),
      Case(wanted: ["old|new", "one"], available: "old new one", installs: "old one"),
      // A name that is part of another is not that one.
      Case(wanted: ["one"], installed: "one-more", available: "one", installs: "one"),
      // Nothing is on offer: the message gives the first name.
      Case(wanted: ["old|new"], fails: "Could not install old."),
    ])
  private func need(_ example: Case) throws {
    let folder = try TemporaryFolder()
    let programs = [
      "dpkg-query": #"case " $INSTALLED " in *" ${!#} "*) printf 'ii ' ;; *) exit 1 ;; esac"#,
      "apt-cache": #"""
      case " $AVAILABLE " in *" $2 "*) candidate=1.0 ;; *) candidate='(none)' ;; esac
      printf '%s:\n  Installed: (none)\n  Candidate: %s\n' "$2" "$candidate"
      """#,
      "apt-get": #"""
      [ "$1" = install ] || exit 0
      shift
      for word in "$@"; do
        case $word in -*) continue ;; esac
        case " $AVAILABLE " in *" $word "*) printf '%s\n' "$word" >> "$ASKED" ;; *) exit 100 ;; esac
      done
      """#,
      "id": "echo 0",
      "swift": "exit 0",
    ]
    for (name, text) in programs {
      try "#!/usr/bin/env bash\n\(text)\n".write(toFile: folder.file(name), atomically: true, encoding: .utf8)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.file(name))
    }
    let script = "PATH=$0:$PATH; source \"$1\"; shift; need \"$@\""
    let (status, output) = try runProgram(
      [
        "env", "INSTALLED=\(example.installed)", "AVAILABLE=\(example.available)", "ASKED=\(folder.file("asked"))",
        "bash", "-c", script, folder.path, Executable.project.appendingPathComponent("Scripts/common.sh").path,
      ] + example.wanted)
    let asked = (try? String(contentsOfFile: folder.file("asked"), encoding: .utf8)) ?? ""
    #expect(asked.split(separator: "\n").joined(separator: " ") == example.installs, "\(output)")
    #expect((status == 0) == example.fails.isEmpty, "\(output)")
    #expect(example.fails.isEmpty || output.contains(example.fails), "\(output)")
  }
}
