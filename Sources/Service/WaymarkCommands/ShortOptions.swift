package import ArgumentParser

extension NameSpecification {
  /// An option's long name and a letter, whose value may be joined to it: `-j 4`, `-j4`.
  package static func letter(_ letter: OptionLetter) -> Self {
    [.customShort(letter.rawValue, allowingJoined: true), .long]
  }
}

/// The letters of options with a value.
package enum OptionLetter: Character {
  case file = "f"
  case jobs = "j"
  case output = "o"
  case pattern = "p"
}

/// Words of the command line that begin with one dash.
package enum ShortOptions {
  /// The letters of flags, which may stand together.
  private static let flags: Set<Character> = ["h", "q"]

  /// The first word that the parser would take for several flags in one, though it is not: the parser finds the `h` in
  /// `-dash.png`, shows help, and ends as if all were well.
  package static func misread(in words: some Sequence<String>) -> String? {
    for word in words {
      if word == "--" { return nil }
      guard word.count > 2, word.first == "-", let letter = word.dropFirst().first, letter != "-" else { continue }
      // A number below 0, or a value that follows its letter.
      if letter.isNumber || letter == "." || OptionLetter(rawValue: letter) != nil { continue }
      if !word.dropFirst().allSatisfy(flags.contains) { return word }
    }
    return nil
  }
}
