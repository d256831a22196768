package import WaymarkConfiguration

extension PageSettings {
  /// The keys of the integrator's file for the page.
  package static let table = ConfigurationTable(brand + words + cameras + forms + handover)

  private static let colour = ConfigurationKind.text(7)
  private static let name = ConfigurationKind.text(64)

  private static let brand: [ConfigurationKey] = [
    key("brand.name", .text(60), "the name beside the logo, and the page's title"),
    key("brand.logo", .text(4096), "the logo: an SVG, PNG or WebP file of at most 200 KiB"),
    key("brand.accent", colour, "the colour of buttons and links on light ground, as `#rrggbb`"),
    key("brand.accentDark", colour, "the same on dark ground"),
  ]

  private static let words: [ConfigurationKey] = [
    key("languages", .texts(3), "the languages of the switch, in its order; all but `en` and `de` need `words`"),
    key("words", .named, "the page's own words, by language"),
    key("words.LANGUAGE", .named, "other words for texts of the page, by their keys; `language` is what it is called"),
    key("words.LANGUAGE.KEY", .text(2000), "one of them"),
    key("texts", .sections, "texts of scenes and of the provider of accounts in other languages"),
    key("texts.text", .localized, "a text as it is delivered, and what the others read"),
  ]

  /// The views over a camera.
  private static let cameras: [ConfigurationKey] = [
    ("onboard", "of onboarding and signing in"), ("ar", "in which scenes are followed"),
    ("document", "that captures pages"), ("count", "that counts"), ("field", "that fills forms"),
  ].map { view, meaning in key("cameras.\(view)", name, "the camera \(meaning), where the service has several") }

  private static let forms: [ConfigurationKey] = [
    key("forms", .sections, "the forms, in the order of their tiles"),
    key("forms.name", name, "the name by which programs know it"),
    key("forms.title", .localized, "its title, and that of its tile"),
    key("forms.help", .localized, "what its tile says below"),
    key("forms.fields", .sections, "its fields"),
    key("forms.fields.section", .localized, "a heading above the field"),
    key("forms.fields.name", name, "the name by which programs know it"),
    key("forms.fields.label", .localized, "what people read beside it"),
    key("forms.fields.kind", .choice(FieldKind.allCases.map(\.rawValue)), "what is written into it"),
    key("forms.fields.help", .localized, "what is said below it"),
    key("forms.fields.prompt", .localized, "what stands in it while it is empty, such as an example"),
    key("forms.fields.required", .bool, "whether it must be filled in"),
    key("forms.fields.value", .localized, "what stands there at first"),
    key("forms.fields.readonly", .bool, "whether it can be changed"),
    key("forms.fields.pattern", .text(500), "a regular expression that all of it must match"),
    key("forms.fields.wrong", .localized, "what is said where it does not"),
    key("forms.fields.reads", .text(500), "what the text reader takes: names of patterns or a regular expression"),
    key("forms.fields.scan", .choices(["barcode", "text"]), "with which scanners it can be filled"),
    key("forms.fields.limit", .int(1...2000), "how many characters it takes"),
    key("forms.fields.minimum", .int(-1_000_000...1_000_000_000), "the least number"),
    key("forms.fields.maximum", .int(-1_000_000...1_000_000_000), "the largest one"),
    key("forms.fields.earliest", .text(10), "the earliest day, as `2026-11-26` in quotes"),
    key("forms.fields.latest", .text(10), "the latest one"),
    key("forms.fields.capitals", .bool, "whether the keyboard on the screen begins with capital letters"),
    key("forms.fields.unit", .localized, "the unit behind a number"),
    key("forms.fields.choices", .sections, "what can be chosen"),
    key("forms.fields.choices.value", name, "what programs are told"),
    key("forms.fields.choices.label", .localized, "what people read"),
    key("forms.fields.when.field", name, "shown only where that field above"),
    key("forms.fields.when.is", .strings, "has one of these values; without it any"),
  ]

  private static let handover: [ConfigurationKey] = [
    key("handover", .sections, "the ways on which results leave by a program"),
    key("handover.name", name, "the name by which the program knows it"),
    key("handover.label", .localized, "what its button says"),
    key("handover.program", .text(4096), "the program's file"),
    key("handover.arguments", .texts(4096), "its arguments; `{file}` and `{number}` stand for those of a result"),
    key(
      "handover.of", .choices(HandoverWay.Kind.allCases.map(\.rawValue)), "the results that go this way; all without it"
    ),
    key("handover.ask", .localized, "the label of what a visitor is asked for first, such as an address"),
    key("handover.pattern", .text(500), "a regular expression that all of the answer must match"),
    key("handover.wrong", .localized, "what is said where it does not"),
    key("handover.seconds", .int(1...300), "the seconds after which the program is ended"),
    key("handover.done", .localized, "what is said when it has ended well"),
  ]

  private static func key(_ path: String, _ kind: ConfigurationKind, _ meaning: String) -> ConfigurationKey {
    ConfigurationKey(path, kind, meaning, hasVariable: false)
  }
}
