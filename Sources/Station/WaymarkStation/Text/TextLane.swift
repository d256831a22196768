package import WaymarkFrames
package import WaymarkImage
package import WaymarkService
import WaymarkSystem
package import WaymarkText

/// The lane that reads text: luma in, candidates out. `TextProcessor` below is its work on frames.
package typealias TextLane = Lane<TextTask, TextReading>

/// The part of a session that the lane needs: the region, the patterns and the languages.
package struct TextTask: Hashable, Sendable {
  /// The number of the session, by which late readings are recognized.
  package var generation: Int
  package var region: ScanRegion
  /// The patterns to accept; any line if empty.
  package var patterns: [TextPattern]
  /// Names of Tesseract's models.
  package var languages: [String]

  package init(
    generation: Int = 0, region: ScanRegion = .whole, patterns: [TextPattern] = [], languages: [String] = []
  ) {
    self.generation = generation
    self.region = region
    self.patterns = patterns
    self.languages = languages
  }
}

/// The result of the text lane for a frame and the frames before it.
package struct TextReading: Sendable {
  package var generation: Int
  /// The candidates, most confident first.
  package var candidates: [AcceptedText] = []
  /// The accepted text; nil until one is stable and certain.
  package var accepted: AcceptedText?
  /// The number of lines that were read.
  package var lines = 0
  /// The number of lines that were not read within `TextProcessor.frameLimit`.
  package var skipped = 0
  /// The reason why the frame could not be read; nil if it was.
  package var failure: TextError?
}

/// Reads the symbols in the picture of a line with the networks of all languages if `asksAll` is true, otherwise with the network
/// of the first language. Called on the lane's thread.
package typealias LineRecognizer =
  @Sendable (GrayImage, _ asksAll: Bool, LineAlphabet, _ languages: [String]) throws -> [ReadSymbol]

/// Reads the picture of a line with the neural network of waymark-text; nil if the network does not support one of the languages.
/// Called on the lane's thread.
package typealias LatticeRecognizer = @Sendable (GrayImage, _ languages: [String]) throws -> LineLattice?

extension Lane where Settings == TextTask, Output == TextReading {
  /// Creates a lane, which is off until a session begins.
  ///
  /// - Parameters:
  ///   - maximumRate: the largest number of frames per second; nil for all.
  ///   - recognize: reads lines with Tesseract.
  ///   - lattice: reads lines with the neural network; nil to use only Tesseract.
  ///   - deliver: receives the reading of every frame on the lane's thread.
  package static func text(
    maximumRate: Double? = nil, recognize: @escaping LineRecognizer, lattice: LatticeRecognizer? = nil,
    deliver: @escaping @Sendable (TextReading, Frame) -> Void
  ) -> TextLane {
    TextLane(
      name: "text", settings: TextTask(), maximumRate: maximumRate,
      makeWork: {
        let seeker = TextProcessor(recognize, lattice: lattice)
        return { frame, task in frame.image.withView { seeker.look($0, at: frame.captured, task) } }
      }, deliver: deliver)
  }
}

/// Reads text from frame to frame. Used on the lane's thread only.
package final class TextProcessor {
  private let recognize: LineRecognizer
  private let lattice: LatticeRecognizer?
  private var task: TextTask?
  private var follower: TextFollower?
  private var count = 0
  private let clock: () -> Double

  /// The seconds after which no further line of a frame is read. A single line takes up to two seconds (`TextEngineHost`).
  package static let frameLimit = 1.5

  /// - Parameter clock: seconds of a monotonic clock.
  package init(
    _ recognize: @escaping LineRecognizer, lattice: LatticeRecognizer? = nil,
    clock: @escaping () -> Double = { MonotonicClock.now }
  ) {
    self.recognize = recognize
    self.lattice = lattice
    self.clock = clock
  }

  /// Reads the lines of a picture, and votes on them together with the pictures before it.
  package func look(_ view: ImageView, at time: Double, _ wanted: TextTask) -> TextReading {
    var reading = TextReading(generation: wanted.generation)
    do {
      if task != wanted {
        task = wanted
        follower = try TextFollower(wanted.patterns)
        count = 0
      }
      let (recognize, languages) = (recognize, wanted.languages)
      var reader = TextReader { try recognize($0, $1, $2, languages) }
      reader.lattice = lattice.map { lattice in { try lattice($0, languages) } }
      if wanted.patterns.count == 1 { reader.alphabet = LineAlphabet(wanted.patterns[0]) }
      // Styles alternate from frame to frame, as their errors differ.
      let styles = LinePicture.Style.live
      reader.styles = [styles[count % styles.count]]
      count += 1
      let (clock, end) = (clock, clock() + Self.frameLimit)
      reader.continues = { clock() < end }
      let (lines, skipped) = try reader.readAsFar(view, region: wanted.region.pixels(in: view))
      reading.lines = lines.count
      reading.skipped = skipped
      let outcome = follower?.see(lines, at: time) ?? .init()
      reading.candidates = outcome.candidates
      reading.accepted = outcome.accepted
    } catch let error as TextError {
      reading.failure = error
    } catch {
      reading.failure = TextError(
        .textEngineFailed, "The frame could not be read.", hint: "The next frame is tried.", cause: "\(error)")
    }
    return reading
  }
}

extension ScanRegion {
  /// The region in pixels of a picture, at least one pixel wide and high.
  fileprivate func pixels(in view: ImageView) -> (x: Int, y: Int, width: Int, height: Int) {
    let (w, h) = (Double(view.width), Double(view.height))
    let (left, top) = (min(Int(x * w), view.width - 1), min(Int(y * h), view.height - 1))
    return (
      left, top, max(1, min(view.width - left, Int((width * w).rounded(.up)))),
      max(1, min(view.height - top, Int((height * h).rounded(.up))))
    )
  }
}
