/// The methods that the page may call: what a person in front of the kiosk does, nothing that sets the device up.
enum CommandAllowList {
  private static let methods: Set<String> = [
    "status", "camera.list", "scan.begin", "scan.cancel", "scan.confirm", "gallery.list", "gallery.scan", "torch",
    "scene.list", "codes.follow", "codes.unfollow", "count.begin", "count.reset", "count.end",
    "scene.load", "form.submit", "signature.save", "session.start", "session.scan", "session.coach", "session.exit",
    "annotation.select",
    "document.begin", "document.mode", "document.capture", "document.pages", "document.adjust", "document.filter",
    "document.rotate", "document.reorder", "document.delete", "document.restore", "document.retake", "document.save",
    "document.discard", "document.end", "text.begin", "text.choose", "text.cancel",
    "annotation.next", "annotation.previous", "annotation.clear", "card.open", "card.close", "card.action",
    "account.state", "account.policy", "account.next", "account.back", "account.leave", "account.demo",
    "account.choose",
    "account.activate", "account.users", "account.switch", "account.select", "account.add", "authentication.submit",
    "authentication.setPasscode", "authentication.signIn", "authentication.forgot", "consent.choose", "sync.retry",
  ]

  /// Returns whether the page may call a method.
  static func allows(_ method: String) -> Bool { methods.contains(method) }
}
