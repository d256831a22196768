/// An error in a regular expression. The syntax tree (`RegularExpressionNode`, `ScalarClass`) and the parser are below.
package struct RegularExpressionFlaw: Error, Hashable {
  /// The fault, as a clause to follow a colon.
  package var message: String

  init(_ message: String) { self.message = message }
}

/// A set of characters: `.`, an escape such as `\d`, or the parts in brackets.
struct ScalarClass: Hashable, Sendable {
  indirect enum Part: Hashable, Sendable {
    case range(ClosedRange<UInt32>)
    case word, space
    case categories([Unicode.GeneralCategory])
    case not(Part)

    func contains(_ scalar: Unicode.Scalar) -> Bool {
      switch self {
      case .range(let range): range.contains(scalar.value)
      case .word: scalar == "_" || scalar.properties.isAlphabetic || scalar.properties.numericType != nil
      case .space: scalar.properties.isWhitespace
      case .categories(let categories): categories.contains(scalar.properties.generalCategory)
      case .not(let part): !part.contains(scalar)
      }
    }
  }

  var parts: [Part] = []
  var isInverted = false

  func contains(_ scalar: Unicode.Scalar) -> Bool { names(scalar) != isInverted }

  /// Returns whether the brackets contain a scalar, regardless of inversion.
  func names(_ scalar: Unicode.Scalar) -> Bool { parts.contains { $0.contains(scalar) } }

  /// The code point of a set with a single character; `nil` for other sets.
  fileprivate var single: UInt32? {
    guard case .range(let range)? = parts.first, parts.count == 1, range.count == 1, !isInverted else { return nil }
    return range.lowerBound
  }

  fileprivate static let digit = Part.range(0x30...0x39)
  fileprivate static let any = ScalarClass(parts: [.range(0...0x10FFFF)])

  fileprivate static func one(_ value: UInt32) -> ScalarClass { ScalarClass(parts: [.range(value...value)]) }

  /// The general categories by the names of Unicode Standard Annex 44, table 12.
  fileprivate static let categories: [(name: String, category: Unicode.GeneralCategory)] = [
    ("Lu", .uppercaseLetter), ("Ll", .lowercaseLetter), ("Lt", .titlecaseLetter), ("Lm", .modifierLetter),
    ("Lo", .otherLetter), ("Mn", .nonspacingMark), ("Mc", .spacingMark), ("Me", .enclosingMark),
    ("Nd", .decimalNumber), ("Nl", .letterNumber), ("No", .otherNumber), ("Pc", .connectorPunctuation),
    ("Pd", .dashPunctuation), ("Ps", .openPunctuation), ("Pe", .closePunctuation), ("Pi", .initialPunctuation),
    ("Pf", .finalPunctuation), ("Po", .otherPunctuation), ("Sm", .mathSymbol), ("Sc", .currencySymbol),
    ("Sk", .modifierSymbol), ("So", .otherSymbol), ("Zs", .spaceSeparator), ("Zl", .lineSeparator),
    ("Zp", .paragraphSeparator), ("Cc", .control), ("Cf", .format), ("Co", .privateUse), ("Cn", .unassigned),
  ]
}

/// A condition on a position in a text.
enum RegularExpressionAssertion: Sendable {
  case start, end, wordBoundary, noWordBoundary
}

// MARK: - Syntax tree

/// A node of the syntax tree of a regular expression.
indirect enum RegularExpressionNode {
  case scalar(ScalarClass)
  case sequence([RegularExpressionNode])
  case choice([RegularExpressionNode])
  /// A part repeated from the first to the second number of times, `nil` for any number; a lazy part prefers fewer
  /// repetitions.
  case repeated(RegularExpressionNode, Int, Int?, isLazy: Bool)
  /// A group that is captured, with its number from 1 on.
  case group(Int, RegularExpressionNode)
  case assertion(RegularExpressionAssertion)
}

// MARK: - Parsing

/// Parses a regular expression into its syntax tree.
struct RegularExpressionParser {
  private let scalars: [Unicode.Scalar]
  /// True to search for matches in a text: groups are captured, and assertions may occur anywhere.
  private let isSearch: Bool
  private var place = 0
  private var depth = 0
  /// True if the expression begins with `(?i)`; set by parsing.
  private(set) var ignoresCase = false
  /// The number of captured groups.
  private(set) var groups = 0

  /// The greatest nesting of groups.
  private static let depthLimit = 40
  /// The greatest number in `{n,m}`.
  private static let countLimit = 400

  init(_ expression: String, isSearch: Bool) {
    scalars = Array(expression.unicodeScalars)
    self.isSearch = isSearch
  }

  private var current: Unicode.Scalar? { place < scalars.count ? scalars[place] : nil }

  private mutating func skip(_ word: String) -> Bool {
    guard scalars[place...].starts(with: word.unicodeScalars) else { return false }
    place += word.unicodeScalars.count
    return true
  }

  mutating func parse() throws(RegularExpressionFlaw) -> RegularExpressionNode {
    ignoresCase = skip("(?i)")
    // Without a search, the expression matches the whole text anyway.
    if !isSearch { _ = skip("^") }
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
      if scalar == "$", !isSearch, depth == 1, place == scalars.count - 1 {
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
    case "\\":
      if isSearch, skip("b") { return .assertion(.wordBoundary) }
      if isSearch, skip("B") { return .assertion(.noWordBoundary) }
      return .scalar(try escaped())
    case "(":
      let isCaptured = isSearch && current != "?"
      if current == "?", !skip("?:") { throw RegularExpressionFlaw("of the groups with '(?', only '(?:' is supported") }
      if isCaptured { groups += 1 }
      let number = groups
      let inner = try choice()
      guard skip(")") else { throw RegularExpressionFlaw("a '(' has no ')'") }
      return isCaptured ? .group(number, inner) : inner
    case "*", "+", "?", "{":
      throw RegularExpressionFlaw("nothing precedes '\(scalar)' that could be repeated")
    case "^" where isSearch: return .assertion(.start)
    case "$" where isSearch: return .assertion(.end)
    case "^", "$":
      throw RegularExpressionFlaw("'\(scalar)' is in the middle; the pattern always matches the whole text")
    default: return .scalar(.one(scalar.value))
    }
  }

  private mutating func quantified(_ node: RegularExpressionNode) throws(RegularExpressionFlaw) -> RegularExpressionNode
  {
    var least = 0
    var most: Int?
    switch current {
    case "*": break
    case "+": least = 1
    case "?": most = 1
    case "{":
      place += 1
      least = try number()
      if skip(",") { most = current == "}" ? nil : try number() } else { most = least }
      guard current == "}", most.map({ $0 >= least }) ?? true else { throw Self.badCount }
    default: return node
    }
    place += 1
    let isLazy = skip("?")
    if let current, "*+?{".unicodeScalars.contains(current) {
      throw RegularExpressionFlaw("'\(current)' follows another repetition")
    }
    return .repeated(node, least, most, isLazy: isLazy)
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

  /// Parses the rest of an escape, after its backslash.
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
    case "x": return .one(try hexadecimal(2))
    case "u": return .one(try hexadecimal(4))
    case "p", "P":
      let categories = try category()
      return ScalarClass(parts: [scalar == "p" ? categories : .not(categories)])
    default:
      guard !scalar.properties.isAlphabetic, scalar.properties.numericType == nil else {
        throw RegularExpressionFlaw("'\\\(scalar)' is not understood")
      }
      return .one(scalar.value)
    }
  }

  private static let badNumber = RegularExpressionFlaw(
    "characters by number or category are written \\x1D, \\u00E9, \\x{1F600} or \\p{L}")

  /// Parses the code point of a character: `count` hexadecimal digits, or any number of digits in braces.
  private mutating func hexadecimal(_ count: Int) throws(RegularExpressionFlaw) -> UInt32 {
    let digits: [Unicode.Scalar]
    if current == "{" {
      digits = try braced()
    } else {
      digits = Array(scalars[place...].prefix(count))
      place += digits.count
      guard digits.count == count else { throw Self.badNumber }
    }
    let word = String(String.UnicodeScalarView(digits))
    guard word.allSatisfy(\.isHexDigit), let value = UInt32(word, radix: 16), Unicode.Scalar(value) != nil else {
      throw Self.badNumber
    }
    return value
  }

  /// Parses the name of a general category, such as `{Lu}` or `{L}`.
  private mutating func category() throws(RegularExpressionFlaw) -> ScalarClass.Part {
    let name = String(String.UnicodeScalarView(try braced()))
    let categories = ScalarClass.categories.filter { $0.name.hasPrefix(name) }.map(\.category)
    guard !name.isEmpty, !categories.isEmpty else { throw Self.badNumber }
    return .categories(categories)
  }

  private mutating func braced() throws(RegularExpressionFlaw) -> [Unicode.Scalar] {
    guard skip("{"), let end = scalars[place...].firstIndex(of: "}") else { throw Self.badNumber }
    defer { place = end + 1 }
    return Array(scalars[place..<end])
  }

  /// Parses a class in brackets; the opening bracket was read.
  private mutating func bracketed() throws(RegularExpressionFlaw) -> ScalarClass {
    var set = ScalarClass()
    set.isInverted = skip("^")
    while let scalar = current, scalar != "]" || set.parts.isEmpty {
      place += 1
      // POSIX classes such as `[:alpha:]` are not supported and would be read as single characters.
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
