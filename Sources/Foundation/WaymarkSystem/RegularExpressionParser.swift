/// An error in a regular expression.
package struct RegularExpressionFlaw: Error, Hashable {
  /// In words, to stand behind a colon.
  package var message: String

  init(_ message: String) { self.message = message }
}

/// Some characters.
struct ScalarClass: Hashable, Sendable {
  indirect enum Part: Hashable, Sendable {
    case range(ClosedRange<UInt32>)
    case word, space
    case not(Part)

    func contains(_ scalar: Unicode.Scalar) -> Bool {
      switch self {
      case .range(let range): range.contains(scalar.value)
      case .word: scalar == "_" || scalar.properties.isAlphabetic || scalar.properties.numericType != nil
      case .space: scalar.properties.isWhitespace
      case .not(let part): !part.contains(scalar)
      }
    }
  }

  var parts: [Part] = []
  var isInverted = false

  func contains(_ scalar: Unicode.Scalar) -> Bool { names(scalar) != isInverted }

  /// Returns whether it stands in the brackets, whatever they mean.
  func names(_ scalar: Unicode.Scalar) -> Bool { parts.contains { $0.contains(scalar) } }

  /// Its one character, where it has just one.
  fileprivate var single: UInt32? {
    guard case .range(let range)? = parts.first, parts.count == 1, range.count == 1, !isInverted else { return nil }
    return range.lowerBound
  }

  fileprivate static let digit = Part.range(0x30...0x39)
  fileprivate static let any = ScalarClass(parts: [.range(0...0x10FFFF)])

  fileprivate static func one(_ value: UInt32) -> ScalarClass { ScalarClass(parts: [.range(value...value)]) }
}

/// A part of a regular expression.
indirect enum RegularExpressionNode {
  case scalar(ScalarClass)
  case sequence([RegularExpressionNode])
  case choice([RegularExpressionNode])
  /// At least so often, and at most so often.
  case repeated(RegularExpressionNode, Int, Int?)
}

/// Reads a regular expression.
struct RegularExpressionParser {
  private let scalars: [Unicode.Scalar]
  private var place = 0
  private var depth = 0
  /// True if it begins with `(?i)`; known once it was read.
  private(set) var ignoresCase = false

  /// How deep groups may stand in each other.
  private static let depthLimit = 40
  /// How often a part may be repeated by its number.
  private static let countLimit = 400

  init(_ expression: String) { scalars = Array(expression.unicodeScalars) }

  private var current: Unicode.Scalar? { place < scalars.count ? scalars[place] : nil }

  private mutating func skip(_ word: String) -> Bool {
    guard scalars[place...].starts(with: word.unicodeScalars) else { return false }
    place += word.unicodeScalars.count
    return true
  }

  mutating func parse() throws(RegularExpressionFlaw) -> RegularExpressionNode {
    ignoresCase = skip("(?i)")
    // It is held to the whole text anyway.
    _ = skip("^")
    let node = try choice()
    guard current == nil else { throw RegularExpressionFlaw("a ')' has no '('") }
    return node
  }

  private mutating func choice() throws(RegularExpressionFlaw) -> RegularExpressionNode {
    depth += 1
    defer { depth -= 1 }
    guard depth <= Self.depthLimit else { throw RegularExpressionFlaw("its groups are nested too deeply") }
    var parts = [try sequence()]
    while skip("|") { parts.append(try sequence()) }
    return parts.count == 1 ? parts[0] : .choice(parts)
  }

  private mutating func sequence() throws(RegularExpressionFlaw) -> RegularExpressionNode {
    var parts: [RegularExpressionNode] = []
    while let scalar = current, scalar != "|", scalar != ")" {
      if scalar == "$", depth == 1, place == scalars.count - 1 {
        place += 1
        break
      }
      parts.append(try quantified(try atom()))
    }
    return .sequence(parts)
  }

  private mutating func atom() throws(RegularExpressionFlaw) -> RegularExpressionNode {
    guard let scalar = current else { return .sequence([]) }
    place += 1
    switch scalar {
    case ".": return .scalar(.any)
    case "[": return .scalar(try bracketed())
    case "\\": return .scalar(try escaped())
    case "(":
      if current == "?", !skip("?:") { throw RegularExpressionFlaw("of the groups with '(?', only '(?:' is supported") }
      let inner = try choice()
      guard skip(")") else { throw RegularExpressionFlaw("a '(' has no ')'") }
      return inner
    case "*", "+", "?", "{":
      throw RegularExpressionFlaw("nothing precedes '\(scalar)' that could be repeated")
    case "^", "$":
      throw RegularExpressionFlaw("'\(scalar)' is in the middle; the pattern always matches the whole text")
    default: return .scalar(.one(scalar.value))
    }
  }

  private mutating func quantified(_ node: RegularExpressionNode) throws(RegularExpressionFlaw) -> RegularExpressionNode
  {
    let result: RegularExpressionNode
    switch current {
    case "*": result = .repeated(node, 0, nil)
    case "+": result = .repeated(node, 1, nil)
    case "?": result = .repeated(node, 0, 1)
    case "{":
      place += 1
      let least = try number()
      var most: Int? = least
      if skip(",") { most = current == "}" ? nil : try number() }
      guard current == "}", most.map({ $0 >= least }) ?? true else { throw Self.badCount }
      result = .repeated(node, least, most)
    default: return node
    }
    place += 1
    // Greedy or not: the whole text matches or does not.
    _ = skip("?")
    if let current, "*+?{".unicodeScalars.contains(current) {
      throw RegularExpressionFlaw("'\(current)' follows another repetition")
    }
    return result
  }

  private static let badCount = RegularExpressionFlaw(
    "a repetition is written {2}, {2,} or {2,5}, with numbers up to \(countLimit)")

  private mutating func number() throws(RegularExpressionFlaw) -> Int {
    let start = place
    while let scalar = current, ("0"..."9").contains(scalar) { place += 1 }
    guard let value = Int(String(String.UnicodeScalarView(scalars[start..<place]))), value <= Self.countLimit else {
      throw Self.badCount
    }
    return value
  }

  /// Parses the rest of an escape; its backslash was read.
  private mutating func escaped() throws(RegularExpressionFlaw) -> ScalarClass {
    guard let scalar = current else { throw RegularExpressionFlaw("it ends with a backslash") }
    place += 1
    switch scalar {
    case "d": return ScalarClass(parts: [ScalarClass.digit])
    case "D": return ScalarClass(parts: [.not(ScalarClass.digit)])
    case "w": return ScalarClass(parts: [.word])
    case "W": return ScalarClass(parts: [.not(.word)])
    case "s": return ScalarClass(parts: [.space])
    case "S": return ScalarClass(parts: [.not(.space)])
    case "t": return .one(9)
    case "n": return .one(10)
    case "r": return .one(13)
    default:
      guard !scalar.properties.isAlphabetic, scalar.properties.numericType == nil else {
        throw RegularExpressionFlaw("'\\\(scalar)' is not understood")
      }
      return .one(scalar.value)
    }
  }

  /// A class in brackets; the bracket was read.
  private mutating func bracketed() throws(RegularExpressionFlaw) -> ScalarClass {
    var set = ScalarClass()
    set.isInverted = skip("^")
    while let scalar = current, scalar != "]" || set.parts.isEmpty {
      place += 1
      // Such names are another language's; they would be read as single characters.
      if scalar == "[", let current, ":.=".unicodeScalars.contains(current) {
        throw RegularExpressionFlaw("'[\(current)' within brackets is not understood; a bracket is written '\\['")
      }
      let low = scalar == "\\" ? try escaped() : .one(scalar.value)
      guard current == "-", place + 1 < scalars.count, scalars[place + 1] != "]" else {
        set.parts += low.parts
        continue
      }
      place += 1
      var high: UInt32? = scalars[place].value
      place += 1
      if high == 0x5C { high = try escaped().single }
      guard let first = low.single, let last = high else {
        throw RegularExpressionFlaw("a range in brackets goes from one character to another")
      }
      guard first <= last else { throw RegularExpressionFlaw("a range in brackets runs backwards") }
      set.parts.append(.range(first...last))
    }
    guard skip("]") else { throw RegularExpressionFlaw("a '[' has no ']'") }
    return set
  }
}
