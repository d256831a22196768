/// Asking for consents, one after the other, each screen by screen; the choice is on the last.
package struct ConsentFlow: Hashable, Sendable {
  /// The consents asked about.
  package let consents: [Consent]
  /// Which of them is at hand.
  package private(set) var index = 0
  /// Which of its screens.
  package private(set) var page = 0

  package init(_ consents: [Consent]) { self.consents = consents }

  /// The consent at hand; `nil` when all are answered.
  package var current: Consent? { consents.indices.contains(index) ? consents[index] : nil }

  /// True if the screen with the choice is shown.
  var isLastPage: Bool { current.map { page >= $0.pages.count - 1 } ?? false }

  /// The next screen.
  package mutating func next() throws(AccountRefusal) {
    guard current != nil, !isLastPage else { throw .wrongPhase }
    page += 1
  }

  /// The screen before.
  package mutating func back() throws(AccountRefusal) {
    guard page > 0 else { throw .wrongPhase }
    page -= 1
  }

  /// The record of a choice.
  ///
  /// - Throws: when another consent is at hand, when its last screen was not reached, or when it does not offer this choice.
  package func record(
    _ consent: String, _ choice: ConsentChoice, language: String?, at time: AccountTime
  ) throws(AccountRefusal) -> ConsentRecord {
    guard let current, current.id == consent, isLastPage else { throw .wrongPhase }
    guard choice == .allow || choice == (current.isMandatory ? .deny : .later) else { throw .badValue("choice") }
    return current.record(choice, language: language, at: time)
  }

  /// A choice was written down: goes on, unless what is needed was denied.
  package mutating func answered(_ choice: ConsentChoice) {
    guard choice != .deny else { return }
    index += 1
    page = 0
  }
}

extension Consent {
  /// The record of a choice about it.
  ///
  /// - Parameter language: the language it was shown in; the standard's where the texts are not in that.
  func record(_ choice: ConsentChoice, language: String?, at time: AccountTime) -> ConsentRecord {
    let shown = language.map { String($0.prefix { $0 != "-" }) }
    let languages = pages.first?.text
    let known = shown.flatMap { languages?.texts[$0] == nil ? nil : $0 } ?? languages?.standard ?? ""
    return ConsentRecord(
      consent: id, version: version, hash: hash(in: known), language: known, choice: choice, time: time.date)
  }
}
