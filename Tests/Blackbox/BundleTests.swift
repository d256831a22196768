import Foundation
import Testing

/// Bundles that carry a policy, applied to a running service.
@Suite("A bundle is a layer of the configuration")
struct BundleTests {
  @Test("Its policy applies, and one that the service refuses is taken back")
  func policy() throws {
    let folder = try TemporaryFolder()
    let files = FileManager.default
    let made = try Executable.run([
      "onboarding", "keygen", "--algorithm", "EdDSA", "--kid", "fleet", "--key", folder.file("fleet.pem"),
    ])
    try made.output.write(to: URL(fileURLWithPath: folder.file("keys.jwks")))
    for name in ["site", "waymark.d"] {
      try files.createDirectory(atPath: folder.file(name), withIntermediateDirectories: false)
    }
    try "onboarding: {hosts: [base.example.com]}\n".write(
      toFile: folder.file("waymark.yaml"), atomically: true, encoding: .utf8)
    try files.createSymbolicLink(
      atPath: folder.file("waymark.d/50-site.yaml"), withDestinationPath: "../bundles/current/site/waymark.yaml")

    func apply(_ number: Int, _ yaml: String, _ more: [String]) throws -> Executable.Run {
      try yaml.write(toFile: folder.file("site/waymark.yaml"), atomically: true, encoding: .utf8)
      let bundle = folder.file("site-\(number).tar")
      let packed = try Executable.run([
        "bundle", "make", folder.file("site"), "--name", "site", "--number", "\(number)", "--key",
        folder.file("fleet.pem"), "-o", bundle,
      ])
      #expect(packed.status == 0, "\(packed.diagnostics)")
      return try Executable.run(
        ["bundle", "apply", bundle, "--keys", folder.file("keys.jwks"), "--folder", folder.file("bundles")] + more)
    }
    let first = try apply(1, "onboarding: {hosts: [mobile.example.com]}\n", ["--no-service"])
    #expect(first.status == 0, "\(first.diagnostics)")
    let service = try RunningService([
      "--config", folder.file("waymark.yaml"), "--source", Executable.project.path + "/Samples/pictures",
    ])
    defer { withExtendedLifetime(service) {} }
    func verdict() throws -> String {
      let picture = Executable.project.appendingPathComponent("Samples/pictures/onboarding-on-a-card.jpg").path
      let answer = try Executable.run([
        "send", "scan.picture", #"{"mode":"onboarding"}"#, "--file", picture, "--socket", service.socket,
      ])
      let object = answer.objects.first
      let refusal = (object?["invalid"] as? [String: Any])?["reason"]
      return (refusal ?? object?["outcome"]) as? String ?? "\(answer.text)\(answer.diagnostics)"
    }
    #expect(try verdict() == "successful")
    let place = ["--socket", service.socket, "--settle", "0"]
    let second = try apply(2, "onboarding: {hosts: [other.example.com]}\n", place)
    #expect(second.status == 0, "\(second.diagnostics)")
    #expect(try verdict() == "hostNotAllowed")
    let wrong = try apply(3, "onboarding: {hostz: [mobile.example.com]}\n", place)
    #expect(wrong.status == 69 && wrong.diagnostics.contains("waymark.d/50-site.yaml:1"), "\(wrong.diagnostics)")
    #expect(try verdict() == "hostNotAllowed")
    #expect(try Executable.run(["bundle", "list", "--folder", folder.file("bundles")]).text == "site\tversion 2\n")
  }
}
