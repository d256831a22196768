/// What is wrong with a regular expression.
package struct CodePatternFlaw: Error, Hashable {
  package var message: String

  init(_ message: String) { self.message = message }
}

/// A set of characters, as ranges of scalar values.
struct ScalarSet: Hashable, Sendable {
  var ranges: [ClosedRange<UInt32>] = []
  var isInverted = false

  func contains(_ value: UInt32) -> Bool { ranges.contains { $0.contains(value) } != isInverted }

  static let digits = ScalarSet(ranges: [0x30...0x39])
  static let letters = ScalarSet(ranges: [0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A])
  static let spaces = ScalarSet(ranges: [0x09...0x0D, 0x20...0x20])
  static let any = ScalarSet(isInverted: true)
}

/// A part of a regular expression.
indirect enum CodePatternNode {
  case scalar(ScalarSet)
  case sequence([CodePatternNode])
  case choice([CodePatternNode])
  case repeated(CodePatternNode, Int, Int?)

  /// How many instructions it becomes, at least as many; large numbers are all alike.
  var size: Int {
    switch self {
    case .scalar: 1
    case .sequence(let parts), .choice(let parts): parts.reduce(0) { min($0 + $1.size + 2, 1 << 20) }
    case .repeated(let part, let least, let most): min((part.size + 2) * max(least + 1, most ?? 0, 1), 1 << 20)
    }
  }
}

/// Reads a regular expression: characters, `.`, classes, `\d \w \s` and their opposites, groups, `|`, `* + ? {m} {m,} {m,n}`.
struct CodePatternParser {
  private let scalars: [Unicode.Scalar]
  private var place = 0
  private var depth = 0

  init(_ expression: String) { scalars = Array(expression.unicodeScalars) }

  private var current: Unicode.Scalar? { place < scalars.count ? scalars[place] : nil }

  mutating func parse() throws(CodePatternFlaw) -> CodePatternNode {
    // It is held to the whole text anyway.
    if current == "^" { place += 1 }
    let node = try choice()
    guard current == nil else { throw CodePatternFlaw("a ')' has no '('") }
    return node
  }

  private mutating func choice() throws(CodePatternFlaw) -> CodePatternNode {
    depth += 1
    defer { depth -= 1 }
    guard depth <= 32 else { throw CodePatternFlaw("its groups are nested too deeply") }
    var parts = [try sequence()]
    while current == "|" {
      place += 1
      parts.append(try sequence())
    }
    return parts.count == 1 ? parts[0] : .choice(parts)
  }

  private mutating func sequence() throws(CodePatternFlaw) -> CodePatternNode {
    var parts: [CodePatternNode] = []
    while let scalar = current, scalar != "|", scalar != ")" {
      if scalar == "$", depth == 1, place == scalars.count - 1 {
        place += 1
        break
      }
      parts.append(try quantified(try atom()))
    }
    return .sequence(parts)
  }

  private mutating func atom() throws(CodePatternFlaw) -> CodePatternNode {
    guard let scalar = current else { return .sequence([]) }
    place += 1
    switch scalar {
    case ".": return .scalar(.any)
    case "[": return .scalar(try scalarClass())
    case "\\": return .scalar(try escape())
    case "(":
      if current == "?" {
        guard place + 1 < scalars.count, scalars[place + 1] == ":" else {
          throw CodePatternFlaw("'(?' is not understood, except as '(?:'")
        }
        place += 2
      }
      let inner = try choice()
      guard current == ")" else { throw CodePatternFlaw("a '(' has no ')'") }
      place += 1
      return inner
    case "*", "+", "?", "{": throw CodePatternFlaw("there is nothing before '\(scalar)' that could be repeated")
    case "^", "$": throw CodePatternFlaw("'\(scalar)' stands in the middle; the whole text is compared anyway")
    default: return .scalar(ScalarSet(ranges: [scalar.value...scalar.value]))
    }
  }

  private mutating func quantified(_ node: CodePatternNode) throws(CodePatternFlaw) -> CodePatternNode {
    guard let scalar = current else { return node }
    let result: CodePatternNode
    switch scalar {
    case "*": result = .repeated(node, 0, nil)
    case "+": result = .repeated(node, 1, nil)
    case "?": result = .repeated(node, 0, 1)
    case "{":
      place += 1
      let least = try number()
      var most: Int? = least
      if current == "," {
        place += 1
        most = current == "}" ? nil : try number()
      }
      guard current == "}", most.map({ $0 >= least }) ?? true else {
        throw CodePatternFlaw("a repetition is written {2}, {2,} or {2,5}")
      }
      result = .repeated(node, least, most)
    default: return node
    }
    place += 1
    // Greedy or not: the whole text matches or does not.
    if current == "?" { place += 1 }
    if let current, "*+{".unicodeScalars.contains(current) {
      throw CodePatternFlaw("'\(current)' follows another repetition")
    }
    return result
  }

  private mutating func number() throws(CodePatternFlaw) -> Int {
    let start = place
    while let scalar = current, ("0"..."9").contains(scalar) { place += 1 }
    let digits = String(String.UnicodeScalarView(scalars[start..<place]))
    guard digits.count <= 4, let value = Int(digits) else {
      throw CodePatternFlaw("a repetition is written {2}, {2,} or {2,5}")
    }
    return value
  }

  /// What a backslash stands for; it was read.
  private mutating func escape() throws(CodePatternFlaw) -> ScalarSet {
    guard let scalar = current else { throw CodePatternFlaw("it ends with a backslash") }
    place += 1
    func inverted(_ set: ScalarSet) -> ScalarSet { ScalarSet(ranges: set.ranges, isInverted: true) }
    switch scalar {
    case "d": return .digits
    case "D": return inverted(.digits)
    case "w": return .letters
    case "W": return inverted(.letters)
    case "s": return .spaces
    case "S": return inverted(.spaces)
    case "t": return ScalarSet(ranges: [9...9])
    case "n": return ScalarSet(ranges: [10...10])
    case "r": return ScalarSet(ranges: [13...13])
    default:
      guard !scalar.properties.isAlphabetic, !("0"..."9").contains(scalar) else {
        throw CodePatternFlaw("'\\\(scalar)' is not understood")
      }
      return ScalarSet(ranges: [scalar.value...scalar.value])
    }
  }

  /// A class in brackets; the bracket was read.
  private mutating func scalarClass() throws(CodePatternFlaw) -> ScalarSet {
    var set = ScalarSet()
    if current == "^" {
      set.isInverted = true
      place += 1
    }
    var isFirst = true
    while let scalar = current, scalar != "]" || isFirst {
      isFirst = false
      place += 1
      var low = ScalarSet(ranges: [scalar.value...scalar.value])
      if scalar == "\\" { low = try escape() }
      guard current == "-", place + 1 < scalars.count, scalars[place + 1] != "]" else {
        guard !low.isInverted else { throw CodePatternFlaw("an inverted class stands within brackets") }
        set.ranges += low.ranges
        continue
      }
      place += 1
      var high = scalars[place].value
      place += 1
      if high == 0x5C {
        guard let value = try escape().single else { throw CodePatternFlaw("a range in brackets has no end") }
        high = value
      }
      guard let first = low.single, first <= high else { throw CodePatternFlaw("a range in brackets runs backwards") }
      set.ranges.append(first...high)
    }
    guard current == "]" else { throw CodePatternFlaw("a '[' has no ']'") }
    place += 1
    return set
  }
}

extension ScalarSet {
  /// Its one character, where it has just one.
  fileprivate var single: UInt32? {
    guard !isInverted, ranges.count == 1, ranges[0].count == 1 else { return nil }
    return ranges[0].lowerBound
  }
}
