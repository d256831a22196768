import WaymarkSystem

/// The words of the page on which a phone takes a result: those of the visitor's language, which the kiosk's page hands over.
struct PickupWords: Equatable, Sendable {
  var language = "en"
  var title = "Your result"
  var help = "It can be taken once."
  var button = "Save"

  init() {}

  /// Words from JSON; the page's own where one is missing, empty or longer than 200 bytes.
  init(_ json: JSONValue?) {
    func text(_ name: String, _ standard: String) -> String {
      guard let text = json?[name]?.string, (1...200).contains(text.utf8.count) else { return standard }
      return text
    }
    title = text("title", title)
    help = text("help", help)
    button = text("button", button)
    let tag = text("language", language)
    if tag.wholeMatch(of: /[a-z]{2,3}/) != nil { language = tag }
  }
}
