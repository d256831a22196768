import Foundation
import Testing

@Suite("waymark onboarding", .timeLimit(.minutes(2)))
struct OnboardingTests {
  private static let payload = #"{"appID":"com.example.app","host":"mobile.example.com"}"#

  /// A folder with a key, a policy that remembers, and a token.
  private struct Bench {
    let folder: TemporaryFolder
    let token: String
    var policy: String { folder.file("waymark.yaml") }

    init(algorithm: String = "ES256") throws {
      folder = try TemporaryFolder()
      let keys = try Executable.run([
        "onboarding", "keygen", "--key", folder.file("key.pem"), "--kid", "k", "--algorithm", algorithm,
      ])
      #expect(keys.status == 0, "\(keys.diagnostics)")
      try keys.output.write(to: URL(fileURLWithPath: folder.file("keys.jwks")))
      let yaml = "onboarding: {keyFiles: keys.jwks, hosts: \"*.example.com\"}\nreplay: {folder: used}\n"
      try Data(yaml.utf8).write(to: URL(fileURLWithPath: folder.file("waymark.yaml")))
      let signed = try Executable.run(
        [
          "onboarding", "sign", "--key", folder.file("key.pem"), "--kid", "k", "--jti", "random", "--expires-in", "1h",
          "-",
        ],
        input: Data(OnboardingTests.payload.utf8))
      #expect(signed.status == 0, "\(signed.diagnostics)")
      token = signed.text.trimmingCharacters(in: .newlines)
    }

    func run(_ command: String, _ more: String...) throws -> Executable.Run {
      try Executable.run(["onboarding", command, "--policy", policy, "--json"] + more + [token])
    }
  }

  /// A `confirm --ask` that has judged and waits for its answer.
  private final class Asking {
    let process = Process()
    let answer = Pipe()
    private let words = Pipe()

    init(_ bench: Bench) throws {
      process.executableURL = URL(fileURLWithPath: Executable.path)
      process.arguments = ["onboarding", "confirm", "--ask", "--json", "--policy", bench.policy, bench.token]
      process.standardInput = answer
      process.standardError = words
      process.standardOutput = FileHandle(forWritingAtPath: "/dev/null")
      try process.run()
      var text = Data()
      while !String(decoding: text, as: UTF8.self).contains("[y/N]") {
        let more = words.fileHandleForReading.availableData
        if more.isEmpty { break }
        text += more
      }
      #expect(String(decoding: text, as: UTF8.self).contains("mobile.example.com"))
    }

    func say(_ text: String) throws { try answer.fileHandleForWriting.write(contentsOf: Data(text.utf8)) }

    func end() -> Int32 {
      process.waitUntilExit()
      return process.terminationStatus
    }
  }

  @Test("No made-up payload with a refused address is successful, and every honest one is", .timeLimit(.minutes(3)))
  func payloads() throws {
    let script = Executable.project.appendingPathComponent("Scripts/judge-payloads").path
    let (status, output) = try runProgram(
      ["python3", script, Executable.path, "--hostile", "3000", "--honest", "1000", "--seed", "7"], seconds: 150)
    #expect(status == 0 && output.contains("0 violations"), "\(output.prefix(6000))")
  }

  @Test func linesAreJudgedOneByOne() throws {
    let folder = try TemporaryFolder()
    try Data("hosts: \"*.example.com\"\n".utf8).write(to: URL(fileURLWithPath: folder.file("policy.yaml")))
    func check(_ input: String, _ more: String...) throws -> Executable.Run {
      try Executable.run(
        ["onboarding", "check", "--lines", "--policy", folder.file("policy.yaml")] + more, input: Data(input.utf8))
    }
    let good = try check(
      #""{\"appID\":\"a\",\"host\":\"m.example.com\"}""# + "\n" + #""{\"appID\":\"a\",\"host\":\"evil.test\"}""#
        + "\n\"\"")
    #expect(good.status == 0)
    #expect(good.objects.compactMap { $0["outcome"] as? String } == ["successful", "invalid", "invalid"])
    #expect(good.objects.compactMap { $0["reason"] as? String } == ["hostNotAllowed", "kindNotAllowed"])
    let broken = try check("\"a\"\nno string\n\"b\"\n")
    #expect(broken.status == 65 && broken.diagnostics.contains("Line 2"))
    #expect(broken.objects.count == 1, "what stood before it was judged")
    #expect(try check("\"" + String(repeating: "a", count: 1 << 20) + "\"\n").status == 65)
    #expect(try check("", "text").status == 64)
    #expect(try Executable.run(["onboarding", "check"]).status == 64)
    #expect(try Executable.run(["onboarding", "confirm"]).status == 64)
  }

  @Test("Signs, checks, confirms once", arguments: ["ES256", "ES384", "ES512", "RS256", "EdDSA"])
  func roundTrip(_ algorithm: String) throws {
    let bench = try Bench(algorithm: algorithm)
    for _ in 0..<2 {
      let checked = try bench.run("check")
      #expect(checked.status == 0, "\(checked.text) \(checked.diagnostics)")
      #expect(checked.objects.first?["connectTo"] as? String == "mobile.example.com")
    }
    #expect(try bench.run("confirm").status == 0)
    for command in ["confirm", "check"] {
      let again = try bench.run(command)
      #expect(again.status == 2)
      #expect(again.objects.first?["reason"] as? String == "replayed")
    }
  }

  @Test(
    "Tokens of PyJWT are accepted, and ours by PyJWT", arguments: ["ES256", "ES384", "ES512", "RS256", "EdDSA"])
  func interoperability(_ algorithm: String) throws {
    let bench = try Bench(algorithm: algorithm)
    // Checks our token by the public half of the key, then signs the same claims with its other half.
    let program = """
      import jwt, sys
      from cryptography.hazmat.primitives.serialization import load_pem_private_key
      algorithm, file, token = sys.argv[1:]
      key = load_pem_private_key(open(file, "rb").read(), None)
      claims = jwt.decode(token, key.public_key(), algorithms=[algorithm], options={"require": ["exp", "jti"]})
      claims["jti"] = "theirs"
      print(jwt.encode(claims, key, algorithm=algorithm, headers={"kid": "k"}))
      """
    let (status, output) = try runProgram([
      "/usr/bin/python3", "-I", "-c", program, algorithm, bench.folder.file("key.pem"), bench.token,
    ])
    #expect(status == 0, "\(output)")
    let theirs = output.trimmingCharacters(in: .newlines)
    let checked = try Executable.run(["onboarding", "check", "--policy", bench.policy, "--json", theirs])
    #expect(checked.status == 0, "\(checked.text) \(checked.diagnostics)")
    #expect(checked.objects.first?["connectTo"] as? String == "mobile.example.com")
  }

  @Test("Of processes that confirm the same token at once exactly one succeeds")
  func race() throws {
    for _ in 0..<3 {
      let bench = try Bench(algorithm: "EdDSA")
      let several = try (0..<4).map { _ in try Asking(bench) }
      for one in several { try one.say("y\n") }
      #expect(several.map { $0.end() }.sorted() == [0, 2, 2, 2])
    }
  }

  @Test("kill -9 between the verdict and the record leaves the token unused")
  func killed() throws {
    let bench = try Bench()
    let asking = try Asking(bench)
    kill(asking.process.processIdentifier, SIGKILL)
    #expect(asking.end() == SIGKILL)
    #expect(try bench.run("check").status == 0)
    #expect(try bench.run("confirm").status == 0)
    #expect(try bench.run("confirm").status == 2)
  }

  @Test("A person who says no uses nothing up")
  func declined() throws {
    let bench = try Bench()
    let asking = try Asking(bench)
    try asking.say("n\n")
    #expect(asking.end() == 1)
    #expect(try bench.run("check").status == 0)
  }

  @Test("Passwords are shown only when asked for")
  func secrets() throws {
    let wifi = "WIFI:T:WPA;S:net;P:open-sesame;;"
    let plain = try Executable.run(["onboarding", "check", wifi])
    #expect(plain.status == 2)
    #expect(!plain.text.contains("open-sesame"))
    #expect(try Executable.run(["onboarding", "check", wifi, "--show-secrets"]).text.contains("open-sesame"))
    for command in ["check", "confirm"] {
      let hidden = try Executable.run(["onboarding", command, wifi, "--json"])
      #expect(!hidden.text.contains("open-sesame") && hidden.text.contains("[redacted]"))
      #expect(
        try Executable.run(["onboarding", command, wifi, "--json", "--show-secrets"]).text.contains("open-sesame"))
    }
  }

  @Test("Looking writes nothing")
  func lookingWritesNothing() throws {
    let bench = try Bench()
    #expect(try bench.run("check").status == 0)
    #expect(!FileManager.default.fileExists(atPath: bench.folder.file("used")))
    #expect(try bench.run("confirm").status == 0)
    #expect(FileManager.default.fileExists(atPath: bench.folder.file("used")))
    #expect(try bench.run("check").status == 2)
  }

  @Test(
    "A key that is misspelt is an error, and no token is taken twice",
    arguments: ["replay: {foldr: used}", "repaly: {folder: used}"])
  func misspelt(_ section: String) throws {
    let bench = try Bench()
    let yaml = "onboarding: {keyFiles: keys.jwks}\n\(section)\n"
    try Data(yaml.utf8).write(to: URL(fileURLWithPath: bench.policy))
    for command in ["check", "confirm"] { #expect(try bench.run(command).status == 65) }
    let picture = Executable.project.appendingPathComponent("Samples/pictures/onboarding.png").path
    #expect(try Executable.run(["scan", "--onboarding", "--policy", bench.policy, picture]).status == 65)
  }

  @Test("Signing stays within time, and says what it replaces")
  func signing() throws {
    let bench = try Bench()
    func sign(_ payload: String, _ options: String...) throws -> Executable.Run {
      try Executable.run(
        ["onboarding", "sign", "--key", bench.folder.file("key.pem")] + options + ["-"], input: Data(payload.utf8))
    }
    for span in ["9223372036854775807d", "9223372036854775807s", "99999999d"] {
      #expect(try sign("{}", "--expires-in", span).status == 64)
    }
    let replaced = try sign(#"{"exp":5}"#, "--expires-in", "1h")
    #expect(replaced.status == 0)
    #expect(replaced.diagnostics.contains("\"exp\""))
    let later = try sign(Self.payload, "--not-before", "2h", "--expires-in", "1h").text.trimmingCharacters(
      in: .newlines)
    let policy = ["--policy", bench.policy, later]
    #expect(try Executable.run(["onboarding", "check"] + policy).text.contains("notYetValid"))
    let then = Date(timeIntervalSinceNow: 2.5 * 3600).formatted(.iso8601)
    #expect(try Executable.run(["onboarding", "check", "--at", then] + policy).status == 0)
    #expect(try sign("{}", "--not-before", "noon").status == 64)
  }

  @Test("What is wrong with the call is said with the right exit code")
  func failures() throws {
    #expect(try Executable.run(["onboarding", "check"]).status == 64)
    #expect(try Executable.run(["onboarding", "check", "x", "--at", "noon"]).status == 64)
    #expect(try Executable.run(["onboarding", "confirm", "--ask", "-"]).status == 64)
    #expect(try Executable.run(["onboarding", "check", "x", "--policy", "/nowhere"]).status == 66)
    #expect(try Executable.run(["onboarding", "sign", "--key", "/nowhere", "-"], input: Data("{}".utf8)).status == 66)
    let folder = try TemporaryFolder()
    let file = folder.file("bad.yaml")
    try Data("onboarding:\n  hots: [a]\n".utf8).write(to: URL(fileURLWithPath: file))
    let bad = try Executable.run(["onboarding", "check", "x", "--policy", file])
    #expect(bad.status == 65)
    #expect(bad.diagnostics.contains("bad.yaml:2: onboarding.hots"))
    let empty = try Executable.run(["onboarding", "check", "-"])
    #expect(empty.status == 1 && empty.diagnostics.contains("Standard input is empty."))
    let taken = try Executable.run(["onboarding", "keygen", "--key", file])
    #expect(taken.status == 66)
    #expect(try String(contentsOfFile: file, encoding: .utf8).contains("hots"), "nothing was overwritten")
  }

  @Test("Without a policy of their own, commands judge by that of the service's configuration")
  func configured() throws {
    let folder = try TemporaryFolder()
    let file = folder.file("site.yaml")
    try Data("onboarding: { hosts: [corp.example] }\n".utf8).write(to: URL(fileURLWithPath: file))
    let code = #"{"appID":"com.example.app","host":"elsewhere.example"}"#
    let picture = folder.file("code.png")
    let none = ["WAYMARK_CONFIG": "", "XDG_CONFIG_HOME": folder.file("none")]
    for (environment, status) in [(none, 0), (["WAYMARK_CONFIG": file], 2)] {
      for command in ["check", "confirm"] {
        #expect(try Executable.run(["onboarding", command, code], environment: environment).status == Int32(status))
      }
    }
    let empty = folder.file("empty.yaml")
    try Data().write(to: URL(fileURLWithPath: empty))
    let other = try Executable.run(
      ["onboarding", "check", "--policy", empty, code], environment: ["WAYMARK_CONFIG": file])
    #expect(other.status == 0, "\(other.diagnostics)")
    try Data("onboarding: { hots: [corp.example] }\n".utf8).write(to: URL(fileURLWithPath: file))
    for arguments in [["onboarding", "confirm", code], ["scan", "--onboarding", picture]] {
      let run = try Executable.run(arguments, environment: ["WAYMARK_CONFIG": file])
      #expect(run.status == 65 && run.diagnostics.contains("site.yaml:1: onboarding.hots"), "\(run.diagnostics)")
    }
  }

  @Test("A signed code goes through qrencode and back through scan", .enabled(if: qrencode != nil))
  func printed() throws {
    let bench = try Bench()
    let picture = bench.folder.file("code.png")
    let process = Process()
    process.executableURL = URL(fileURLWithPath: try #require(Self.qrencode))
    process.arguments = ["-s", "4", "-o", picture, bench.token]
    try process.run()
    process.waitUntilExit()
    let scanned = try Executable.run(["scan", "--onboarding", "--policy", bench.policy, "--json", picture])
    #expect(scanned.status == 0, "\(scanned.text)")
    #expect(scanned.objects.first?["kind"] as? String == "sapOnboarding")
    #expect(scanned.objects.first?["connectTo"] as? String == "mobile.example.com")
  }

  private static let qrencode = ["/usr/bin/qrencode", "/usr/local/bin/qrencode"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }
}
