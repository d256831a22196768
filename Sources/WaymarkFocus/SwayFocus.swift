import WaymarkJSON
import WaymarkSystem

/// The protocol of sway's and i3's sockets (sway-ipc(7)), as far as the focus goes: each message has a head of 14 bytes (`i3-ipc`, the
/// length and the type of what follows, both in the byte order of the machine), then JSON.
package struct SwayFocus: Sendable {
  /// The types of requests and events that are used.
  private enum Kind {
    static let subscribe: UInt32 = 2
    static let tree: UInt32 = 4
    static let workspace: UInt32 = 0x8000_0000
    static let window: UInt32 = 0x8000_0003
  }

  /// The consequence of a message of the socket.
  package enum Outcome: Hashable, Sendable {
    /// This program has the focus, or none.
    case focused(String?)
    /// These bytes are to be sent.
    case ask([UInt8])
  }

  private static let magic = Array("i3-ipc".utf8)
  private static let headLength = 14
  /// A tree of some hundred windows has some hundred kilobytes.
  package static let limit = 16 << 20
  private static let rules = JSONRules(depth: 256, values: 500_000)

  private var waiting: [UInt8] = []

  /// A connection that has just been opened; `hello` is to be sent first.
  package init() {}

  /// The requests with which a connection begins: for events, then for what has the focus now.
  package static let hello =
    request(Kind.subscribe, #"["window","workspace"]"#) + request(Kind.tree, "")

  private static func request(_ type: UInt32, _ payload: String) -> [UInt8] {
    var bytes = magic
    withUnsafeBytes(of: UInt32(payload.utf8.count)) { bytes += $0 }
    withUnsafeBytes(of: type) { bytes += $0 }
    return bytes + payload.utf8
  }

  /// Takes bytes of the socket in.
  ///
  /// - Throws: `noDesktop` where they are none of this protocol.
  package mutating func receive(_ bytes: some Sequence<UInt8>) throws(FocusError) -> [Outcome] {
    waiting += bytes
    var outcomes: [Outcome] = []
    while waiting.count >= Self.headLength {
      guard waiting.starts(with: Self.magic) else { throw Self.strange }
      let length = Int(number(at: 6))
      guard length <= Self.limit else { throw Self.strange }
      guard waiting.count >= Self.headLength + length else { break }
      let type = number(at: 10)
      let payload = Array(waiting[Self.headLength..<(Self.headLength + length)])
      waiting.removeFirst(Self.headLength + length)
      if let outcome = Self.outcome(type, payload) { outcomes.append(outcome) }
    }
    return outcomes
  }

  private func number(at place: Int) -> UInt32 {
    waiting[place..<(place + 4)].withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) }
  }

  private static let strange = FocusError(
    .noDesktop, "The socket of the desktop sent something that is not i3's protocol.",
    hint: "Check SWAYSOCK or I3SOCK.")

  private static func outcome(_ type: UInt32, _ payload: [UInt8]) -> Outcome? {
    guard let value = try? JSONParser.tree(payload, as: JSONValue.self, rules: rules) else { return nil }
    switch type {
    case Kind.tree: return .focused(focused(in: value))
    case Kind.window:
      switch value["change"]?.string {
      case "focus": return .focused(value["container"].flatMap(program))
      // Another window may have the focus now, or none.
      case "close", "move": return .ask(request(Kind.tree, ""))
      default: return nil
      }
    // An empty workspace has no window that could tell.
    case Kind.workspace: return value["change"]?.string == "focus" ? .ask(request(Kind.tree, "")) : nil
    default: return nil
    }
  }

  /// The program whose window has the focus in a tree of windows.
  private static func focused(in tree: JSONValue) -> String? {
    var waiting = [tree]
    while let node = waiting.popLast() {
      if node["focused"] == true { return program(node) }
      for key in ["nodes", "floating_nodes"] { waiting += node[key]?.array ?? [] }
    }
    return nil
  }

  /// The name of a window's program: `app_id` of Wayland, or the class of X11.
  private static func program(_ window: JSONValue) -> String? {
    [window["app_id"]?.string, window["window_properties"]?["class"]?.string].lazy.compactMap { $0 }
      .first { !$0.isEmpty }
  }
}
