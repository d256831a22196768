package import WaymarkProtocol

/// An event that may only tell the newest state, so that an older one need not be delivered.
package protocol CoalescingEvent: EventPayload {
  /// The key under which a newer event replaces an older one; `nil` where this one counts by itself.
  var coalescingKey: String? { get }
}
