import WaymarkSystem

/// The time up to which the store of confirmed payloads has dropped records: payloads that expired before count as used.
///
/// Without it a clock that ran ahead, had records forgotten, and was set back would let their payloads in once more. It is
/// the latest expiry among the forgotten records, not the time of the forgetting: a clock that was years ahead for an hour
/// refuses no payload that outlives those that were confirmed.
struct ReplayHorizon: Sendable {
  private let path: String

  /// The horizon of the store in `folder`.
  init(folder: String) { path = folder + "/horizon" }

  /// The contents of the file.
  enum Content: Hashable, Sendable {
    /// Nothing was ever forgotten.
    case none
    /// Seconds since 1970.
    case seconds(Double)
    /// It holds no number.
    case damaged
    /// It cannot be read.
    case unreadable(FileError)
  }

  /// Reads the file.
  func read() -> Content {
    let text: String
    do {
      text = String(decoding: try WholeFile.read(path, limit: 1 << 20), as: UTF8.self)
    } catch {
      return error.code == .notFound ? .none : .unreadable(error)
    }
    // Whole seconds and a line end: a file that was cut off shows.
    guard text.hasSuffix("\n"), let seconds = Int(text.dropLast()), seconds >= 0 else { return .damaged }
    return .seconds(Double(seconds))
  }

  /// Moves it forward, durably; never back.
  ///
  /// - Returns: what failed.
  func advance(to seconds: Double) -> FileError? {
    if case .seconds(let now) = read(), now >= seconds { return nil }
    do throws(FileError) {
      try DurableFile.replace(path, with: Array("\(Int(seconds.rounded(.up)))\n".utf8))
      return nil
    } catch {
      return error
    }
  }

  /// Puts a damaged file aside and starts over at `seconds`: what is over by then counts as used.
  ///
  /// - Returns: where the damaged file is now.
  func restore(at seconds: Double) -> String? {
    let aside = DurableFile.setAside(path)
    _ = advance(to: max(0, seconds))
    return aside
  }
}
