/// Turns strokes into keys that go down and up, and holds a modifier over the strokes that want it, as a typist would: half
/// the events for a word in capitals.
package struct KeySequencer: Sendable {
  private let keys: [KeyModifiers: UInt16]
  private var held: KeyModifiers = []

  /// A sequencer with nothing held.
  package init(layout: KeyboardLayout) { keys = layout.modifierKeys }

  /// Returns the transitions for one stroke, given the keys that are still held from those before.
  mutating func transitions(for stroke: KeyStroke) -> [KeyTransition] {
    let steps = change(to: stroke.modifiers)
    return steps + [KeyTransition(stroke.key, isDown: true), KeyTransition(stroke.key, isDown: false)]
  }

  /// Returns the transitions that release all keys.
  package mutating func release() -> [KeyTransition] { change(to: []) }

  private mutating func change(to wanted: KeyModifiers) -> [KeyTransition] {
    let up = held.subtracting(wanted).each.reversed().compactMap { keys[$0].map { KeyTransition($0, isDown: false) } }
    let down = wanted.subtracting(held).each.compactMap { keys[$0].map { KeyTransition($0, isDown: true) } }
    held = wanted
    return up + down
  }
}
