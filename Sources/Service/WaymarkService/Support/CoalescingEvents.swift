// The events that replace older ones in the outbox of a client that reads slowly.
package import WaymarkProtocol
package import WaymarkServer

/// An event type that replaces the previous event of the same type in an outbox, so that only the newest is sent.
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

// Progress within a state is replaced by newer progress; every change of state is sent.

extension AccountState: CoalescingEvent {
  package var coalescingKey: String? { phase == .sync ? Self.event : nil }
}

extension ScannerStatus: CoalescingEvent {
  package var coalescingKey: String? { frames == nil ? nil : Self.event }
}
