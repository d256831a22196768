package import WaymarkImage
import WaymarkWorker

/// Shares the program that reads text: started with the first line, ended when it was not needed for a while.
package final class TextEngineHost: Sendable {
  /// Makes the engine of some languages.
  package typealias MakeEngine = @Sendable (_ languages: [String]) throws(TextError) -> sending TextEngine

  /// The engine of the languages that were read last.
  private final class Installed: RestartableProcess {
    private var engine: TextEngine?
    private var languages: [String] = []

    var process: Int32? { engine?.process }

    func end() { engine?.end() }

    func engine(_ wanted: [String], _ makeEngine: MakeEngine) throws(TextError) -> TextEngine {
      if let engine, languages == wanted { return engine }
      end()
      let made = try makeEngine(wanted)
      (engine, languages) = (made, wanted)
      return made
    }
  }

  /// Seconds after its last line for which the program stays.
  package static let idleTime = 30.0
  private let engine = IdleWorker(Installed(), idleTime: TextEngineHost.idleTime)
  private let makeEngine: MakeEngine

  /// A host with the installed program: a frame waits no longer than two seconds for a line, and three for the program's start.
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
    try engine.use(now: now) { [makeEngine] in
      try $0.engine(languages, makeEngine).read(image, asksAll: asksAll, alphabet: alphabet)
    }
  }

  /// Reads a line with Waymark's own network; nil where that does not know a language. Blocks.
  ///
  /// - Parameter now: the time, in seconds.
  /// - Throws: `TextError`: why the line was lost.
  package func lattice(_ image: GrayImage, languages: [String], now: Double) throws -> LineLattice? {
    try engine.use(now: now) { [makeEngine] in try $0.engine(languages, makeEngine).lattice(image) }
  }

  /// Ends the program if it was not needed for a while.
  ///
  /// - Returns: seconds after which it is to be looked at again; nil when none runs.
  package func rest(now: Double) -> Double? { engine.rest(now: now) }

  /// Ends the program.
  package func end() { engine.end() }

  /// The process that reads now; nil also while it is at work.
  package var process: Int32? { engine.process }
}
