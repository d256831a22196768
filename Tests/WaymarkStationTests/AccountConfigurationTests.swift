import Foundation
import Testing
import WaymarkConfiguration
import WaymarkPeople
import WaymarkService
import WaymarkSystem

@testable import WaymarkStation

/// The section `accounts` of the configuration.
@Suite struct AccountConfigurationTests {
  private func read(_ yaml: String) -> (settings: AccountSettings?, problems: [ConfigurationProblem]) {
    let document = ConfigurationDocument(yaml, path: "/etc/waymark/waymark.yaml", table: stationSchema.table)
    let (settings, problems) = AccountSettings.read(document)
    return (settings, document.problems + problems)
  }

  @Test func theSampleIsWhatItSays() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let text = try String(contentsOf: root.appending(path: "Samples/provider/accounts.yaml"), encoding: .utf8)
    let (settings, problems) = read(text)
    #expect(problems.isEmpty)
    let policy = try #require(settings?.policy)
    #expect(policy.mode == .shared)
    #expect(policy.steps == AccountPolicy.Module.allCases)
    #expect(policy.activation == [.scan, .code, .email, .preset])
    #expect(policy.fields.map(\.kind) == [.text, .password])
    #expect(policy.consents.map(\.pages.count) == [2, 1])
    #expect(policy.consents.map(\.isMandatory) == [false, true])
    #expect(policy.links.map { $0.text?.text(in: "de").prefix(11) } == ["Dieses Gerä", nil])
    #expect(policy.words["welcome"]?.title?.text(in: "de-AT") == "Willkommen in der Werkstatt")
    #expect(policy.words["welcome"]?.title?.text(in: "fr") == "Welcome to the workshop")
    #expect(policy.passcode.needsDigit && policy.syncs && policy.allowsDemo)
  }

  @Test func withoutTheSectionThereIsNothing() {
    #expect(read("camera: {width: 640}\n").settings == nil)
    #expect(read("").problems.isEmpty)
  }

  @Test(arguments: [
    ("accounts: 7", "accounts"), ("accounts: {mode: both}", "accounts.mode"),
    ("accounts: {mdoe: single}", "accounts.mdoe"), ("accounts: {modules: []}", "accounts.modules"),
    ("accounts: {modules: }", "accounts.modules"), ("accounts: {activation: }", "accounts.activation"),
    ("accounts: {shown: []}", "accounts.shown"),
    ("accounts: {modules: [passcode, passcode]}", "accounts.modules"),
    ("accounts: {modules: [activation]}", "accounts.activation"),
    ("accounts: {modules: [activation], activation: [preset]}", "accounts.host"),
    ("accounts: {modules: [credentials], fields: [{name: user, label: User}]}", "accounts.fields"),
    (
      "accounts: {modules: [credentials], fields: [{name: a b, label: User}, {name: c, label: C}, {name: d, label: D}]}",
      "accounts.fields.name"
    ),
    ("accounts: {modules: [consents]}", "accounts.consents"),
    ("accounts: {modules: [consents], consents: [{id: a, text: T}]}", "accounts.consents"),
    (
      "accounts: {modules: [consents], consents: [{id: a, version: 1, text: T}, {id: a, version: 2, text: T}]}",
      "accounts.consents"
    ),
    (
      "accounts: {modules: [consents], consents: [{id: a, version: 1, text: T, pages: [{text: U}]}]}",
      "accounts.consents"
    ),
    ("accounts: {mode: shared, modules: [passcode]}", "accounts.modules"),
    ("accounts: {terms: I accept, modules: [passcode]}", "accounts.terms"),
    ("accounts: {links: [{title: T, url: http://example.com}]}", "accounts.links.url"),
    ("accounts: {passcode: {minimum: 3}}", "accounts.passcode.minimum"),
    ("accounts: {passcode: {minimum: 8, maximum: 6}}", "accounts.passcode.maximum"),
    ("accounts: {passcode: {tries: 2.5}}", "accounts.passcode.tries"),
    ("accounts: {passcode: {wait: 60, longestWait: 30}}", "accounts.passcode.longestWait"),
    ("accounts: {sync: maybe}", "accounts.sync"), ("accounts: {words: {home: {title: x}}}", "accounts.words.home"),
    ("accounts: {words: {welcome: {title: {Deutsch: x}}}}", "accounts.words.welcome.title"),
    ("accounts: {leaveAfter: .inf}", "accounts.leaveAfter"), ("accounts: {leaveAfter: .nan}", "accounts.leaveAfter"),
  ])
  func everyMistakeIsNamedWithItsKey(_ yaml: String, _ key: String) {
    let problems = read(yaml).problems
    #expect(problems.contains { $0.key == key }, "\(problems)")
    for problem in problems { #expect(!problem.hint.isEmpty && problem.line != nil, "\(problem)") }
  }

  @Test func pathsStartWhereTheFileIs() {
    let (settings, problems) = read("accounts: {folder: users, logos: [logo.png, /usr/share/x.png]}")
    #expect(problems.isEmpty)
    #expect(settings?.folder == "/etc/waymark/users")
    #expect(settings?.logos == ["/etc/waymark/logo.png", "/usr/share/x.png"])
  }
}
