import Foundation

/// Sounds of our own making, short and soft, told apart by number and direction of their notes.
package enum CueSound {
  /// Samples a second.
  package static let rate = 48_000

  /// The notes of a cue: hertz and seconds.
  static func notes(_ cue: Cue) -> [(frequency: Double, length: Double)] {
    switch cue {
    case .read: [(1760, 0.07)]
    case .accepted: [(1318.5, 0.07), (1760, 0.11)]
    case .refused: [(392, 0.11), (311.1, 0.16)]
    }
  }

  /// A cue's samples, mono.
  ///
  /// - Parameter volume: 0 to 1, of what the device gives at most.
  package static func samples(_ cue: Cue, volume: Double) -> [Int16] {
    let peak = max(0, min(1, volume)) * 0.8 * Double(Int16.max)
    return notes(cue).flatMap { note in
      let count = Int(note.length * Double(rate))
      // Swells and fades like a bell, so that nothing clicks: a raised cosine of 6 ms, and an exponential to nothing.
      let attack = 0.006 * Double(rate)
      return (0..<count).map { index in
        let t = Double(index)
        let rise = t < attack ? 0.5 - 0.5 * cos(.pi * t / attack) : 1
        let left = Double(count - 1 - index)
        let fall = left < attack ? 0.5 - 0.5 * cos(.pi * left / attack) : 1
        let decay = exp(-2.5 * t / Double(count))
        let phase = 2 * Double.pi * note.frequency * t / Double(rate)
        // A little of the octave above makes it warmer than a test tone.
        return Int16(peak * rise * fall * decay * (0.8 * sin(phase) + 0.2 * sin(2 * phase)))
      }
    }
  }
}
