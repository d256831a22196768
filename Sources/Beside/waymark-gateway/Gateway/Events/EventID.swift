/// The id of an event in a stream: the run of the service that counts, and its number.
struct EventID: Hashable, Sendable {
  /// The run of the service.
  let instance: String
  /// The service's counter.
  let seq: Int

  init(instance: String, seq: Int) {
    self.instance = instance
    self.seq = seq
  }

  /// An id from `INSTANCE-SEQ`; `nil` when it is none.
  init?(_ text: String) {
    guard text.utf8.count <= 128, let dash = text.lastIndex(of: "-"), let seq = Int(text[text.index(after: dash)...]),
      seq >= 0, dash > text.startIndex
    else { return nil }
    self.init(instance: String(text[..<dash]), seq: seq)
  }

  /// As it stands in a stream.
  var text: String { "\(instance)-\(seq)" }
}
