/// Leads to an object without keeping it: a closure that is made before the object, such as a lane's, gets to it this way.
@ServiceActor
package final class WeakReference<Object: AnyObject & Sendable>: Sendable {
  /// The object, once it is there and as long as it is.
  package weak var object: Object?

  /// Leads to nothing yet.
  package init() {}
}
