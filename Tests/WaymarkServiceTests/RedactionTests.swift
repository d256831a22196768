import Testing
import WaymarkConfiguration
import WaymarkService
import WaymarkSystem

@Suite struct RedactionTests {
  @Test(arguments: [
    "token=hunter2", "Authorization: Bearer eyJhbGciOiJFUzI1NiJ9.eyJzZWNyZXQiOjF9.hunter2", "password: \"hunter2\"",
    "https://kiosk:hunter2@example.com/x", "WIFI:T:WPA;S:net;P:hunter2;;", "otpauth://totp/a?secret=hunter2",
    "http://127.0.0.1:8631/?token=hunter2", "API_KEY=hunter2 and more", "{\"client_secret\":\"hunter2\"}",
    "-----BEGIN PRIVATE KEY-----\nhunter2\n-----END PRIVATE KEY-----",
    "otpauth-migration://offline?data=hunter2", "passcode=hunter2", "\"sharedKey\":\"hunter2\"", "kennwort: hunter2",
    "Cookie: hunter2", "sessionId=hunter2", "SAMLResponse=hunter2", "Authorization: Basic hunter2", "bearer hunter2",
    "hunter2hunter2hunter2hunter2hunter2hunter2hunter2",
  ])
  func secretsGo(_ text: String) {
    let redacted = Redaction.text("before " + text)
    #expect(!redacted.contains("hunter2"), "\(redacted)")
    #expect(redacted.hasPrefix("before "))
    #expect(redacted.contains(Redaction.mark))
  }

  @Test(arguments: [
    "waymark.scan: a code was refused reason=expired scan=s1", "/usr/share/waymark/sequences/pump-room",
    "usb-046d_C920_1A2B3C streaming MJPG 640x480", "https://mobile.example.com/enrol?device=7",
  ])
  func theRestStays(_ text: String) { #expect(Redaction.text(text) == text) }

  private func redacted(_ yaml: String) -> [String] {
    let table = stationSchema.table
    return RedactedConfiguration(ConfigurationDocument(yaml, path: "w.yaml", table: table), table: table).lines
  }

  @Test func aConfigurationKeepsItsKeysAndLosesWhatNobodyKnows() {
    let lines = redacted(
      """
      # the admin's password is hunter2
      camera: {width: 640, height: hunter2, device: "Front camera"}
      pasword: hunter2
      gallery:
        folders: [/srv/pictures, "https://me:hunter2@host/"]
      onboarding:
        hosts: ["*.example.com"]
        sharedKey: hunter2
        customKinds:
          portal: {url: "https://*.example.com/*", pin: hunter2}
      """)
    #expect(
      lines == [
        "camera:", "  width: 640", "  height: [redacted]", "  device: \"Front camera\"", "pasword: [redacted]",
        "gallery:", "  folders: [/srv/pictures, \"https://[redacted]@host/\"]", "onboarding:",
        "  hosts: [\"*.example.com\"]", "  sharedKey: [redacted]", "  customKinds:", "    portal:",
        "      url: \"https://*.example.com/*\"", "      pin: [redacted]",
      ])
    #expect(redacted("a: [hunter2").isEmpty)
    #expect(redacted("hunter2") == [Redaction.mark])
  }

  @Test func problemsDoNotQuote() {
    let problem = ConfigurationProblem(
      origin: "waymark.yaml", mark: SourceMark(line: 3, column: 10), key: "camera.width",
      message: "a number is expected, not \"hunter2\"", hint: "")
    #expect(Redaction.problem(problem) == "waymark.yaml:3: camera.width: a number is expected, not \"…\"")
  }
}
