public import WaymarkJSON

/// Hands a form that a person has filled in to the programs on the socket.
public struct FormSubmitRequest: ServiceRequest {
  /// Which form it is: a word of the integrator's. From 1 to 128 bytes.
  public var form: String
  /// The fields that were filled in, in the order of the form. From 1 to 200 entries.
  public var fields: [FormField]
  /// The client's own name for this submission: sent once more under the same one it is not taken twice. From 1 to 128 bytes.
  public var key: String?
  /// Anything: comes back in `form.submitted`.
  public var context: JSONValue?

  /// The result of a success.
  public typealias Result = FormSubmitResult

  /// The name on the wire.
  public static let method = "form.submit"

  /// A value from its parts.
  public init(form: String, fields: [FormField], key: String? = nil, context: JSONValue? = nil) {
    self.form = form
    self.fields = fields
    self.key = key
    self.context = context
  }
}

/// The form is stored until a client acknowledges it.
public struct FormSubmitResult: Codable, Hashable, Sendable {
  /// Its id.
  public var id: String
  /// When it was taken in: RFC 3339, UTC, milliseconds.
  public var submitted: String

  /// A value from its parts.
  public init(id: String, submitted: String) {
    self.id = id
    self.submitted = submitted
  }
}

/// Lists pending forms, the oldest first.
public struct FormPendingRequest: ServiceRequest {
  /// The most forms to return; 20 when missing. Fewer come when they are large. From 1 to 100.
  public var limit: Int?
  /// Only those after this id.
  public var after: String?

  /// The result of a success.
  public typealias Result = FormPendingResult

  /// The name on the wire.
  public static let method = "form.pending"

  /// A value from its parts.
  public init(limit: Int? = nil, after: String? = nil) {
    self.limit = limit
    self.after = after
  }
}

/// Pending forms.
public struct FormPendingResult: Codable, Hashable, Sendable {
  /// The forms, as their events told of them.
  public var forms: [FormSubmitted]
  /// True if there are more: ask again with the last id as `after`.
  public var more: Bool

  /// A value from its parts.
  public init(forms: [FormSubmitted], more: Bool) {
    self.forms = forms
    self.more = more
  }
}

/// Acknowledges a form: the service deletes it.
public struct FormAcknowledgeRequest: ServiceRequest {
  /// Its id.
  public var id: String

  /// The result of a success.
  public typealias Result = FormAcknowledgeResult

  /// The name on the wire.
  public static let method = "form.acknowledge"

  /// A value from its parts.
  public init(id: String) {
    self.id = id
  }
}

/// A form was forgotten.
public struct FormAcknowledgeResult: Codable, Hashable, Sendable {
  /// How many still wait.
  public var pending: Int

  /// A value from its parts.
  public init(pending: Int) {
    self.pending = pending
  }
}
