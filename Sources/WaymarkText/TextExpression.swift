import WaymarkSystem

/// A regular expression for a whole text whose answer takes time in proportion to the text, whatever the expression is: all its states
/// are followed at once (K. Thompson, "Regular expression search algorithm", 1968), none is tried and taken back.
///
/// Characters, `.`, `\d \w \s` and their opposites, `[…]`, groups, `|`, `? * + {n} {n,} {n,m}`, `^` and `$` at the ends, and `(?i)` at the
/// beginning. What needs taking back, references to groups and looking around, is refused.
struct TextExpression {
  /// What a step takes.
  private indirect enum Symbol {
    case exactly(Character)
    case any
    case digit, word, space
    case range(ClosedRange<Character>)
    case not([Symbol])
    case oneOf([Symbol])

    func takes(_ character: Character, ignoringCase: Bool) -> Bool {
      if has(character) { return true }
      guard ignoringCase else { return false }
      return character.uppercased().first.map(has) == true || character.lowercased().first.map(has) == true
    }

    var size: Int {
      switch self {
      case .not(let symbols), .oneOf(let symbols): symbols.count
      default: 1
      }
    }

    private func has(_ character: Character) -> Bool {
      switch self {
      case .exactly(let own): own == character
      case .any: true
      case .digit: character.isASCII && character.isNumber
      case .word: character.isLetter || character.isNumber || character == "_"
      case .space: character.isWhitespace
      case .range(let range): range.contains(character)
      case .not(let symbols): !symbols.contains { $0.has(character) }
      case .oneOf(let symbols): symbols.contains { $0.has(character) }
      }
    }
  }

  private indirect enum Node {
    case empty
    case symbol(Symbol)
    case sequence([Node])
    case either([Node])
    case repeated(Node, least: Int, most: Int?)
  }

  private enum State {
    case take(Symbol, next: Int)
    case split([Int])
    case end
  }

  private var states: [State] = [.end]
  private var first = 0
  private var ignoresCase = false
  /// What was put in so far, every character of a `[…]` counted.
  private var size = 0
  /// What repeats is written out as often as it may: so much is enough for any label.
  private static let sizeLimit = 4000
  /// How deep groups may stand in each other.
  private static let depthLimit = 40

  /// - Throws: what is wrong with the expression.
  init(_ text: String) throws(TextError) {
    var parser = Parser(text)
    ignoresCase = parser.skip("(?i)")
    let node = try parser.whole()
    first = try add(node, next: 0)
  }

  /// Whether all of a text is what the expression describes.
  ///
  /// - Parameter steps: how many may be taken, less those that were; without any left nothing matches.
  func matches(_ text: String, steps: inout Int) -> Bool {
    var isIn = [Bool](repeating: false, count: states.count)
    var current = reach([first], &isIn)
    for character in text {
      var next: [Int] = []
      steps -= states.count
      guard steps > 0 else { return false }
      for place in current {
        if case .take(let symbol, let target) = states[place], symbol.takes(character, ignoringCase: ignoresCase) {
          next.append(target)
        }
      }
      if next.isEmpty { return false }
      for place in isIn.indices { isIn[place] = false }
      current = reach(next, &isIn)
    }
    return current.contains(0)
  }

  /// All states that lie behind some without taking anything, each once.
  private func reach(_ from: [Int], _ isIn: inout [Bool]) -> [Int] {
    var found: [Int] = []
    var open = from
    while let place = open.popLast() {
      if isIn[place] { continue }
      isIn[place] = true
      if case .split(let targets) = states[place] { open += targets } else { found.append(place) }
    }
    return found
  }

  private mutating func add(_ state: State) -> Int {
    states.append(state)
    return states.count - 1
  }

  /// Puts a node in front of a state; the state at which it begins.
  private mutating func add(_ node: Node, next: Int) throws(TextError) -> Int {
    if case .symbol(let symbol) = node { size += symbol.size } else { size += 1 }
    guard size <= Self.sizeLimit else {
      throw Self.problem("It repeats too much.", hint: "Repeat less, or smaller parts.")
    }
    switch node {
    case .empty: return next
    case .symbol(let symbol): return add(.take(symbol, next: next))
    case .sequence(let nodes):
      var place = next
      for node in nodes.reversed() { place = try add(node, next: place) }
      return place
    case .either(let nodes):
      var targets: [Int] = []
      for node in nodes { targets.append(try add(node, next: next)) }
      return add(.split(targets))
    case .repeated(let node, let least, let most):
      var place = next
      if let most {
        for _ in least..<most {
          let inner = try add(node, next: place)
          // Each of those that may be missing leads past all of them.
          place = add(.split([inner, next]))
        }
      } else {
        place = add(.split([next]))
        states[place] = .split([try add(node, next: place), next])
      }
      for _ in 0..<least { place = try add(node, next: place) }
      return place
    }
  }

  static func problem(_ cause: String, hint: String) -> TextError {
    TextError(.badPattern, "The pattern is no regular expression that can be used.", hint: hint, cause: cause)
  }

  /// Reads the expression.
  private struct Parser {
    private let characters: [Character]
    private var place = 0
    private var depth = 0

    init(_ text: String) { characters = Array(text) }

    private var next: Character? { place < characters.count ? characters[place] : nil }

    mutating func skip(_ word: String) -> Bool {
      guard characters[place...].starts(with: word) else { return false }
      place += word.count
      return true
    }

    mutating func whole() throws(TextError) -> Node {
      _ = skip("^")
      let node = try either()
      guard next == nil else { throw problem("A ) has no (.") }
      return node
    }

    private func problem(_ cause: String) -> TextError {
      let names = TextPattern.builtIn.map(\.name).joined(separator: ", ")
      return TextExpression.problem(cause, hint: "Known by name: \(names).")
    }

    private mutating func either() throws(TextError) -> Node {
      var ways = [try sequence()]
      while skip("|") { ways.append(try sequence()) }
      return ways.count == 1 ? ways[0] : .either(ways)
    }

    private mutating func sequence() throws(TextError) -> Node {
      var nodes: [Node] = []
      while let character = next, character != "|", character != ")" {
        if character == "$", place + 1 == characters.count {
          place += 1
          break
        }
        nodes.append(try repeated(try atom()))
      }
      return nodes.isEmpty ? .empty : .sequence(nodes)
    }

    private mutating func repeated(_ node: Node) throws(TextError) -> Node {
      var node = node
      while true {
        let bounds: (Int, Int?)
        switch next {
        case "?": bounds = (0, 1)
        case "*": bounds = (0, nil)
        case "+": bounds = (1, nil)
        case "{": bounds = try counts()
        default: return node
        }
        place += 1
        // For a whole text it does not matter how greedy it is.
        _ = skip("?") || skip("+")
        node = .repeated(node, least: bounds.0, most: bounds.1)
      }
    }

    private mutating func counts() throws(TextError) -> (Int, Int?) {
      guard let close = characters[place...].firstIndex(of: "}") else { throw problem("A { has no }.") }
      let parts = String(characters[(place + 1)..<close]).split(separator: ",", omittingEmptySubsequences: false)
      let numbers = parts.map { part in part.allSatisfy { $0.isASCII && $0.isNumber } ? Int(part) : nil }
      place = close
      guard (1...2).contains(parts.count), let least = numbers[0], least <= 200 else {
        throw problem("{…} takes one or two whole numbers of at most 200.")
      }
      if parts.count == 1 { return (least, least) }
      if parts[1].isEmpty { return (least, nil) }
      guard let most = numbers[1], (least...200).contains(most), most > 0 else {
        throw problem("{…} takes one or two whole numbers of at most 200.")
      }
      return (least, most)
    }

    private mutating func atom() throws(TextError) -> Node {
      guard let character = next else { return .empty }
      place += 1
      switch character {
      case ".": return .symbol(.any)
      case "[": return .symbol(try set())
      case "\\": return .symbol(try escaped())
      case "(":
        if next == "?" {
          guard skip("?:") else { throw problem("(?…) other than (?:…) cannot be used.") }
        }
        depth += 1
        guard depth <= TextExpression.depthLimit else { throw problem("Groups stand too deep in each other.") }
        let node = try either()
        depth -= 1
        guard skip(")") else { throw problem("A ( has no ).") }
        return node
      case "?", "*", "+", "{": throw problem("\(character) has nothing to repeat.")
      case "^", "$": throw problem("\(character) stands at an end only: a pattern is for the whole text.")
      default: return .symbol(.exactly(character))
      }
    }

    private mutating func escaped() throws(TextError) -> Symbol {
      guard let character = next else { throw problem("A \\ has nothing behind it.") }
      place += 1
      switch character {
      case "d": return .digit
      case "w": return .word
      case "s": return .space
      case "D": return .not([.digit])
      case "W": return .not([.word])
      case "S": return .not([.space])
      case "t": return .exactly("\t")
      default:
        guard !character.isLetter, !character.isNumber else { throw problem("\\\(character) cannot be used.") }
        return .exactly(character)
      }
    }

    private mutating func set() throws(TextError) -> Symbol {
      let isOpposite = skip("^")
      var symbols: [Symbol] = []
      while true {
        guard let character = next else { throw problem("A [ has no ].") }
        place += 1
        if character == "]", !symbols.isEmpty { break }
        guard character != "[" else { throw problem("[ in […] is written \\[.") }
        let symbol: Symbol = character == "\\" ? try escaped() : .exactly(character)
        guard next == "-", place + 1 < characters.count, characters[place + 1] != "]" else {
          symbols.append(symbol)
          continue
        }
        place += 1
        var last = characters[place]
        place += 1
        if last == "\\" {
          guard case .exactly(let end) = try escaped() else { throw problem("A range in […] ends with a character.") }
          last = end
        }
        guard case .exactly(let start) = symbol, start <= last else {
          throw problem("A range in […] goes from a lower to a higher character.")
        }
        symbols.append(.range(start...last))
      }
      return isOpposite ? .not(symbols) : .oneOf(symbols)
    }
  }
}
