import Testing
import WaymarkSystem

@Suite struct CredentialTests {
  @Test func aCredentialIsAFileOfItsFolder() {
    let folder = "/run/credentials/waymark-gateway.service"
    #expect(Credential.path("credential:gateway-token", in: folder) == folder + "/gateway-token")
    #expect(Credential.path("/etc/waymark/token", in: folder) == "/etc/waymark/token")
    #expect(Credential.path("token", in: folder) == "token")
  }

  @Test(arguments: ["credential:", "credential:..", "credential:.", "credential:a/b", "credential:../../etc/shadow"])
  func nothingLeadsElsewhere(_ text: String) { #expect(Credential.path(text, in: "/run/credentials/u") == text) }

  @Test func withoutAFolderItStaysAsItWasWritten() {
    #expect(Credential.path("credential:a", in: nil) == "credential:a" && Credential.isMissing("credential:a"))
    #expect(!Credential.isMissing("/etc/credential:a"))
    #expect(Credential.path("credential:a", in: "") == "credential:a")
    #expect(Credential.path("credential:a", in: "relative") == "credential:a")
  }
}
