import WaymarkProtocol
import WaymarkSystem

/// One example of every message about users.
extension Samples {
  static let allEvents = events + accountEvents
  static let allRequests = requests + accountRequests

  static let person = AccountPerson(
    id: "k3v9q2m7x1c8b5n4", title: "Ada Lovelace", subtitle: "Plant 1000", initials: "AL")
  static let choice = ConsentEntry(
    consent: "usage", version: "1", hash: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    language: "en",
    choice: "allow", time: "2026-01-02T03:04:05Z")
  static let accountState = AccountState(
    phase: .sync, purpose: .renew, method: .scan, repeats: false, consent: ConsentStep(id: "usage", page: 0, pages: 2),
    working: .provider, problem: AccountTrouble(code: .offline, text: "No network."), user: person, wait: 29.5,
    canRecover: true, sync: SyncStatus(state: .running, progress: 0.25, user: person, text: "Not sent yet."),
    synced: "2026-01-02T03:04:05Z", choices: [choice],
    provider: true)

  static let accountEvents: [any EventPayload] = [
    accountState, AccountRemoved(user: "k3v9q2m7x1c8b5n4", by: actor),
    ConsentRecorded(user: "k3v9q2m7x1c8b5n4", record: choice),
    AuthenticationRequested(
      request: 7, kind: .verify, timeout: 15, code: "WM-1234", fields: ["user": "ada"], subject: "ada@example.com",
      host: "mobile.example.com"),
    AuthenticationWithdrawn(request: 7),
  ]

  static let accountRequests: [any ServedRequest] = [
    AccountStateRequest(), AccountPolicyRequest(), AccountNextRequest(agreed: true), AccountBackRequest(),
    AccountLeaveRequest(), AccountDemoRequest(), AccountChooseRequest(method: .code),
    AccountActivateRequest(code: "WM-1234"), AccountUsersRequest(), AccountSwitchRequest(),
    AccountSelectRequest(user: "k3v9q2m7x1c8b5n4"), AccountAddRequest(), AccountListRequest(),
    AccountRemoveRequest(user: "k3v9q2m7x1c8b5n4"), AccountUnlockRequest(user: "k3v9q2m7x1c8b5n4"),
    AuthenticationSubmitRequest(fields: ["user": "ada", "password": "…"]),
    AuthenticationSetPasscodeRequest(passcode: "…"), AuthenticationSignInRequest(passcode: "…"),
    AuthenticationForgotRequest(), AuthenticationProvideRequest(name: "identity"),
    AuthenticationAnswerRequest(
      request: 7, outcome: .conflict, subject: "ben@example.com", title: "Ben Okri", subtitle: "Plant 1000",
      host: "mobile.example.com", text: "Changes were not sent yet."),
    ConsentChooseRequest(consent: "usage", choice: .allow, language: "en"),
    ConsentExportRequest(user: "k3v9q2m7x1c8b5n4"), SyncRetryRequest(), SyncProgressRequest(request: 8, progress: 0.25),
  ]

  static let accountResults: [(method: String, result: any Codable & Sendable)] = [
    ("account.users", AccountUsersResult(users: [person], selected: "k3v9q2m7x1c8b5n4")),
    (
      "account.list",
      AccountListResult(users: [
        AccountSummary(
          id: "k3v9q2m7x1c8b5n4", subject: "ada@example.com", title: "Ada Lovelace", subtitle: "Plant 1000",
          host: "mobile.example.com", created: "2026-01-02T03:04:05Z", ready: true, failures: 5, wait: 29.5, consents: 2
        )
      ])
    ),
    (
      "consent.export",
      ConsentExportResult(users: [
        ConsentExportEntry(
          user: "k3v9q2m7x1c8b5n4", subject: "ada@example.com", title: "Ada Lovelace", records: [choice])
      ])
    ),
    (
      "account.policy",
      AccountPolicyResult(
        mode: .shared, language: "en", modules: [.welcome, .credentials, .consents, .passcode],
        words: ["welcome": ["title": ["de": "Willkommen", "en": "Welcome"]]], logos: ["logo/0"],
        links: [["title": ["en": "Privacy"], "url": "https://example.com/privacy"]], terms: ["en": "I accept."],
        demo: true,
        activation: [.scan, .code], fields: [["name": "user", "label": ["en": "User name"], "kind": "text"]],
        consents: [
          ["id": "usage", "version": "1", "mandatory": false, "pages": [["text": ["en": "May we count?"]]]]
        ],
        passcode: ["minimum": 6, "maximum": 64, "numeric": false], shown: [.initials, .title])
    ),
  ]
}
