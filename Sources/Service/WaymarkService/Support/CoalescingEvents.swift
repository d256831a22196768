package import WaymarkProtocol
package import WaymarkServer

/// An event of which only the newest counts, always.
package protocol NewestEvent: CoalescingEvent {}

extension NewestEvent {
  package var coalescingKey: String? { Self.event }
}

extension AnchorsUpdated: NewestEvent {}
extension CodesUpdated: NewestEvent {}
extension CountState: NewestEvent {}
extension Statistics: NewestEvent {}
extension SceneProgress: NewestEvent {}
extension DocumentOutline: NewestEvent {}
extension TextCandidates: NewestEvent {}

// A change of state counts; the progress of one state does not.

extension AccountState: CoalescingEvent {
  package var coalescingKey: String? { phase == .sync ? Self.event : nil }
}

extension ScannerStatus: CoalescingEvent {
  package var coalescingKey: String? { frames == nil ? nil : Self.event }
}
