public import WaymarkJSON

/// A field of a form and what was filled in.
public struct FormField: Codable, Hashable, Sendable {
  /// Its name: a word of the integrator's. From 1 to 128 bytes.
  public var name: String
  /// The label that the person saw beside it.
  public var label: String?
  /// The whole text that was filled in.
  public var value: String

  /// A value from its parts.
  public init(name: String, label: String? = nil, value: String) {
    self.name = name
    self.label = label
    self.value = value
  }
}

/// A person has filled in a form and sent it.
public struct FormSubmitted: EventPayload {
  /// Its id, for `form.acknowledge`.
  public var id: String
  /// Which form it is.
  public var form: String
  /// When it was taken in: RFC 3339, UTC, milliseconds.
  public var submitted: String
  /// The fields that were filled in; operators alone see them.
  public var fields: [FormField]?
  /// The client's own name for this submission.
  public var key: String?
  /// The `context` of `form.submit`.
  public var context: JSONValue?
  /// The client that sent it.
  public var by: Actor?

  /// The name on the wire.
  public static let event = "form.submitted"

  /// That a form was sent, and which; nothing of what stands in it.
  public var forObservers: Self {
    var copy = self
    (copy.fields, copy.key, copy.context) = (nil, nil, nil)
    return copy
  }

  /// A value from its parts.
  public init(
    id: String, form: String, submitted: String, fields: [FormField]?, key: String? = nil, context: JSONValue? = nil,
    by: Actor? = nil
  ) {
    self.id = id
    self.form = form
    self.submitted = submitted
    self.fields = fields
    self.key = key
    self.context = context
    self.by = by
  }
}
