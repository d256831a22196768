/// A regular expression for the whole of a code's text.
///
/// What a code says is written by strangers, so no text may keep the service busy: all ways through the expression are gone at
/// once, and the time is that of the text's length times the expression's (K. Thompson, "Regular expression search
/// algorithm", CACM 11 (1968)). What such a machine cannot do, looking around and back, is not part of the language.
package struct CodePattern: Sendable {
  /// As it was written.
  package let expression: String
  private let program: [Instruction]

  /// The longest expression, in characters.
  package static let expressionLimit = 400
  /// The most instructions that it may become: `{m,n}` is written out.
  private static let programLimit = 1_000

  private enum Instruction: Sendable {
    case scalar(ScalarSet)
    /// Both ways are gone.
    case split(Int, Int)
    case jump(Int)
    case accept
  }

  /// - Throws: what is wrong with it, in words.
  package init(_ expression: String) throws(CodePatternFlaw) {
    guard !expression.isEmpty, expression.count <= Self.expressionLimit else {
      throw CodePatternFlaw("it has \(expression.count) characters where 1 to \(Self.expressionLimit) belong")
    }
    var parser = CodePatternParser(expression)
    let root = try parser.parse()
    guard root.size < Self.programLimit else {
      throw CodePatternFlaw("its repetitions make it too long")
    }
    self.expression = expression
    var program: [Instruction] = []
    Self.write(root, &program)
    program.append(.accept)
    self.program = program
  }

  private static func write(_ node: CodePatternNode, _ program: inout [Instruction]) {
    switch node {
    case .scalar(let set): program.append(.scalar(set))
    case .sequence(let parts):
      for part in parts { write(part, &program) }
    case .choice(let parts):
      var ends: [Int] = []
      for (index, part) in parts.enumerated() {
        guard index < parts.count - 1 else {
          write(part, &program)
          break
        }
        let split = program.count
        program.append(.accept)
        write(part, &program)
        ends.append(program.count)
        program.append(.accept)
        program[split] = .split(split + 1, program.count)
      }
      for end in ends { program[end] = .jump(program.count) }
    case .repeated(let part, let least, let most):
      for _ in 0..<least { write(part, &program) }
      guard let most else {
        let split = program.count
        program.append(.accept)
        write(part, &program)
        program.append(.jump(split))
        program[split] = .split(split + 1, program.count)
        return
      }
      var splits: [Int] = []
      for _ in least..<max(least, most) {
        splits.append(program.count)
        program.append(.accept)
        write(part, &program)
      }
      for split in splits { program[split] = .split(split + 1, program.count) }
    }
  }

  /// Whether it describes the whole text.
  package func matches(_ text: String) -> Bool {
    var current = Places(count: program.count)
    var next = Places(count: program.count)
    enter(0, &current)
    for scalar in text.unicodeScalars {
      guard !current.list.isEmpty else { return false }
      next.clear()
      for place in current.list {
        if case .scalar(let set) = program[place], set.contains(scalar.value) { enter(place + 1, &next) }
      }
      swap(&current, &next)
    }
    return current.list.contains { if case .accept = program[$0] { true } else { false } }
  }

  /// Goes on from a place without reading anything, by all ways.
  private func enter(_ place: Int, _ places: inout Places) {
    var open = [place]
    while let place = open.popLast() {
      guard places.insert(place) else { continue }
      switch program[place] {
      case .scalar, .accept: break
      case .jump(let to): open.append(to)
      case .split(let one, let other): open += [other, one]
      }
    }
  }

  /// A set of places in the program.
  private struct Places {
    private(set) var list: [Int] = []
    private var has: [Bool]

    init(count: Int) { has = Array(repeating: false, count: count) }

    mutating func insert(_ place: Int) -> Bool {
      guard !has[place] else { return false }
      has[place] = true
      list.append(place)
      return true
    }

    mutating func clear() {
      for place in list { has[place] = false }
      list.removeAll(keepingCapacity: true)
    }
  }
}

extension CodePattern: Hashable {
  package static func == (one: CodePattern, other: CodePattern) -> Bool { one.expression == other.expression }
  package func hash(into hasher: inout Hasher) { hasher.combine(expression) }
}
