import Synchronization
package import WaymarkImage
package import WaymarkText

/// Shares the program that reads text: started with the first line, ended when it was not needed for a while.
package final class TextEngineHost: Sendable {
  /// Makes the engine of some languages.
  package typealias MakeEngine = @Sendable (_ languages: [String]) throws(TextError) -> sending TextEngine

  private struct State: ~Copyable {
    var engine: TextEngine?
    var languages: [String] = []
    var used = 0.0
  }

  /// Seconds after its last line for which the program stays.
  package static let idleTime = 30.0
  private let state = Mutex(State())
  private let makeEngine: MakeEngine

  /// A desk with the installed program: a frame waits no longer than two seconds for a line, and three for the program's start.
  package convenience init() {
    self.init { languages throws(TextError) in try TextEngine(languages: languages, limit: 2, startLimit: 3) }
  }

  /// - Parameter makeEngine: how an engine is made, where it is not the installed one.
  package init(makeEngine: @escaping MakeEngine) { self.makeEngine = makeEngine }

  /// - Throws: what is to be installed to read these languages.
  package func check(_ languages: [String]) throws(TextError) { _ = try makeEngine(languages) }

  /// Reads a line. Blocks.
  ///
  /// - Parameter now: the time, in seconds.
  /// - Throws: `TextError`: why the line was lost.
  package func read(
    _ image: GrayImage, asksAll: Bool, alphabet: LineAlphabet, languages: [String], now: Double
  ) throws -> [ReadSymbol] {
    try state.withLock { state in
      if state.engine == nil || state.languages != languages {
        state.engine?.end()
        state.engine = try makeEngine(languages)
        state.languages = languages
      }
      state.used = now
      return try state.engine?.read(image, asksAll: asksAll, alphabet: alphabet) ?? []
    }
  }

  /// Ends the program if it was not needed for a while.
  ///
  /// - Returns: seconds after which it is to be looked at again; nil when none runs.
  package func rest(now: Double) -> Double? {
    let left: Double?? = state.withLockIfAvailable { state -> Double? in
      guard state.engine?.process != nil else { return nil }
      let left = state.used + Self.idleTime - now
      if left > 0 { return left }
      state.engine?.end()
      return nil
    }
    // It reads at this moment.
    return left ?? Self.idleTime
  }

  /// Ends the program.
  package func end() { state.withLock { $0.engine?.end() } }

  /// The process that reads now; nil also while it is at work.
  package var process: Int32? { state.withLockIfAvailable { $0.engine?.process } ?? nil }
}
