import WaymarkSystem

// MARK: - Modules

/// Decodes the modules of a MaxiCode symbol: ISO/IEC 16023. The file also decodes the characters of a message
/// (`MaxiCodeText`), and has the positions of the bits (`MaxiCodePlacement`).
package enum MaxiCodeDecoder {
  /// Returns the message; `nil` if either part has too many errors, or the mode is not 2 to 6.
  ///
  /// - Parameter matrix: one module for each position of `MaxiCodePlacement`.
  package static func decode(_ matrix: ModuleMatrix) -> CodeMessage? {
    guard matrix.dark.count == MaxiCodePlacement.numbers.count else { return nil }
    var words = [Int](repeating: 0, count: 144)
    var margins = [Float](repeating: 1, count: matrix.margins.isEmpty ? 0 : 144)
    for (place, number) in MaxiCodePlacement.numbers.enumerated() where number >= 0 {
      let word = Int(number) / 6
      if matrix.dark[place] { words[word] |= 32 >> (Int(number) % 6) }
      if !margins.isEmpty { margins[word] = min(margins[word], matrix.margins[place]) }
    }
    var primary = Array(words[0..<20])
    guard ReedSolomon.sixBits.correct(&primary, checks: 10, reserve: 2) != nil else { return nil }
    let mode = primary[0] & 15
    guard (2...6).contains(mode) else { return nil }
    // Mode 5 has more error correction for the secondary message (clause 4.10).
    let checks = mode == 5 ? 56 : 40
    var secondary = [Int](repeating: 0, count: 124 - checks)
    for half in 0...1 {
      let places = Array(stride(from: 20 + half, to: 144, by: 2))
      var block = places.map { words[$0] }
      guard
        ReedSolomon.sixBits.correct(
          &block, checks: checks / 2, doubt: margins.isEmpty ? [] : places.map { 1 - margins[$0] }, reserve: 2)
      else { return nil }
      for i in 0..<((124 - checks) / 2) { secondary[2 * i + half] = block[i] }
    }
    var text = MaxiCodeText(mode <= 3 ? secondary : Array(primary[1..<10]) + secondary)
    var message = text.message()
    message.isReaderProgramming = mode == 6
    if mode <= 3 { message = postal(primary, mode: mode, message) }
    return message
  }

  /// Returns the structured carrier message followed by the secondary message. If the secondary message begins with the header of
  /// transport data (ISO/IEC 15434, annex B), the carrier message is inserted after the header.
  private static func postal(_ primary: [Int], mode: Int, _ secondary: CodeMessage) -> CodeMessage {
    func bits(_ places: [Int]) -> Int {
      places.reduce(0) { $0 << 1 | (primary[($1 - 1) / 6] >> (5 - ($1 - 1) % 6) & 1) }
    }
    let country = bits([53, 54, 43, 44, 45, 46, 47, 48, 37, 38])
    let service = bits([55, 56, 57, 58, 59, 60, 49, 50, 51, 52])
    var code = ""
    if mode == 2 {
      let length = bits([39, 40, 41, 42, 31, 32])
      let number = bits([
        33, 34, 35, 36, 25, 26, 27, 28, 29, 30, 19, 20, 21, 22, 23, 24, 13, 14, 15, 16, 17, 18, 7, 8, 9, 10, 11, 12, 1,
        2,
      ])
      code = number.digits(min(9, length))
    } else {
      for group in [
        [39, 40, 41, 42, 31, 32], [33, 34, 35, 36, 25, 26], [27, 28, 29, 30, 19, 20], [21, 22, 23, 24, 13, 14],
        [15, 16, 17, 18, 7, 8], [9, 10, 11, 12, 1, 2],
      ] {
        let value = bits(group)
        code +=
          value < 27 && value > 0
          ? String(UnicodeScalar(UInt8(0x40 + value))) : String(UnicodeScalar(UInt8(value & 63)))
      }
    }
    let head = code + "\u{1D}" + country.digits(3) + "\u{1D}" + service.digits(3) + "\u{1D}"
    var message = CodeMessage()
    message.part = secondary.part
    message.use(eci: MaxiCodeText.plain)
    let start = Array("[)>\u{1E}01\u{1D}".utf8)
    // The order is the header, the year after it, then the carrier message.
    var header = secondary.bytes.starts(with: start) ? min(start.count + 2, secondary.bytes.count) : 0
    message.append(secondary.bytes.prefix(header))
    message.append(head)
    for segment in secondary.segments {
      message.use(eci: segment.eci)
      message.append(segment.bytes.dropFirst(header))
      header = max(0, header - segment.bytes.count)
    }
    return message
  }
}

// MARK: - Text

/// Decodes the characters of a MaxiCode message: ISO/IEC 16023 annex A, tables A.1 to A.5.
private struct MaxiCodeText {
  private let words: [Int]
  private var next = 0
  private var result = CodeMessage()

  /// The character set if the symbol does not declare one: ISO/IEC 8859-1 (clause 4.4.1).
  static let plain = 3

  init(_ words: [Int]) { self.words = words }

  mutating func message() -> CodeMessage {
    result.use(eci: Self.plain)
    var set = 0
    // The code set for the next `left` characters; then the previous set applies again.
    var shift: (set: Int, left: Int)?
    if words.first == 33, words.count > 1, words[1] != 33 {
      // A pad at the start declares a part of a structured append.
      let value = words[1]
      let count = value & 7 + 1
      if value >> 3 < count, count > 1 {
        result.part = CodeMessage.Fragment(index: value >> 3, count: count, identifier: "")
      }
      next = result.part == nil ? 0 : 2
    }
    while next < words.count {
      let word = words[next]
      next += 1
      let current = shift?.set ?? set
      if let open = shift { shift = open.left > 1 ? (open.set, open.left - 1) : nil }
      if word == 27 {
        guard interpretation() else { return result }
        continue
      }
      if word == 31 {
        guard next + 5 <= words.count else { return result }
        let value = words[next..<(next + 5)].reduce(0) { $0 << 6 | $1 }
        result.append(value.digits(9))
        next += 5
        continue
      }
      switch (current, word) {
      case (0, 33), (1, 33): continue
      case (0, 63): set = 1
      case (1, 63): set = 0
      case (0, 59): shift = (1, 1)
      case (1, 59): shift = (0, 1)
      case (1, 56): shift = (0, 2)
      case (1, 57): shift = (0, 3)
      case (_, 60), (_, 61), (_, 62):
        let other = word - 58
        if current == other { set = other } else { shift = (other, 1) }
      case (2...4, 58): set = 0
      case (2...4, 63): set = 1
      default: if let byte = Self.character(word, current) { result.append(byte) }
      }
    }
    return result
  }

  private mutating func interpretation() -> Bool {
    guard next < words.count else { return false }
    let first = words[next]
    let more = first & 0b100000 == 0 ? 0 : first & 0b010000 == 0 ? 1 : first & 0b001000 == 0 ? 2 : 3
    guard next + more < words.count else { return false }
    let mask = [0b11111, 0b1111, 0b111, 0b11][more]
    let eci = words[(next + 1)..<(next + 1 + more)].reduce(first & mask) { $0 << 6 | $1 }
    next += 1 + more
    result.use(eci: eci)
    return true
  }

  private static func character(_ word: Int, _ set: Int) -> UInt8? {
    let tables: [[Int]] = [a, b, c, d, e]
    guard tables.indices.contains(set), tables[set].indices.contains(word), tables[set][word] >= 0 else { return nil }
    return UInt8(tables[set][word])
  }

  private static let a: [Int] =
    [13] + Array(65...90) + [-1, 28, 29, 30, -1, 32, -1] + Array(34...58) + [-1, -1, -1, -1, -1]
  private static let b: [Int] =
    [96] + Array(97...122) + [
      -1, 28, 29, 30, -1, 123, -1, 125, 126, 127, 59, 60, 61, 62, 63, 91, 92, 93, 94, 95, 32, 44, 46, 47, 58, 64, 33,
      124, -1, -1, -1, -1, -1, -1, -1, -1,
    ]
  private static let c: [Int] =
    Array(192...218) + [
      -1, 28, 29, 30, -1, 219, 220, 221, 222, 223, 170, 172, 177, 178, 179, 181, 185, 186, 188, 189, 190, 128, 129, 130,
      131, 132, 133, 134, 135, 136, 137, -1, 32, -1, -1, -1, -1,
    ]
  private static let d: [Int] =
    Array(224...250) + [
      -1, 28, 29, 30, -1, 251, 252, 253, 254, 255, 161, 168, 171, 175, 176, 180, 183, 184, 187, 191, 138, 139, 140, 141,
      142, 143, 144, 145, 146, 147, 148, -1, 32, -1, -1, -1, -1,
    ]
  private static let e: [Int] =
    Array(0...26) + [
      -1, -1, -1, 27, -1, 28, 29, 30, 31, 159, 160, 162, 163, 164, 165, 166, 167, 169, 173, 174, 182, 149, 150, 151,
      152, 153, 154, 155, 156, 157, 158, -1, 32, -1, -1, -1, -1,
    ]
}

// MARK: - Placement

/// The positions of the bits of the codewords of a MaxiCode symbol: ISO/IEC 16023 figure 5. Bit b of codeword c, with the
/// most significant bit as bit 0, has the number 6c + b; −1 is light and −2 dark in every symbol.
package enum MaxiCodePlacement {
  package static let rows = 33
  package static let columns = 30

  /// The numbers row by row; every second row is shifted half a module to the right, and its last position is unused.
  package static let numbers: [Int16] = [
    121, 120, 127, 126, 133, 132, 139, 138, 145, 144, 151, 150, 157, 156, 163, 162, 169, 168, 175, 174, 181, 180, 187,
    186, 193, 192, 199, 198, -2, -2,
    123, 122, 129, 128, 135, 134, 141, 140, 147, 146, 153, 152, 159, 158, 165, 164, 171, 170, 177, 176, 183, 182, 189,
    188, 195, 194, 201, 200, 816, -1,
    125, 124, 131, 130, 137, 136, 143, 142, 149, 148, 155, 154, 161, 160, 167, 166, 173, 172, 179, 178, 185, 184, 191,
    190, 197, 196, 203, 202, 818, 817,
    283, 282, 277, 276, 271, 270, 265, 264, 259, 258, 253, 252, 247, 246, 241, 240, 235, 234, 229, 228, 223, 222, 217,
    216, 211, 210, 205, 204, 819, -1,
    285, 284, 279, 278, 273, 272, 267, 266, 261, 260, 255, 254, 249, 248, 243, 242, 237, 236, 231, 230, 225, 224, 219,
    218, 213, 212, 207, 206, 821, 820,
    287, 286, 281, 280, 275, 274, 269, 268, 263, 262, 257, 256, 251, 250, 245, 244, 239, 238, 233, 232, 227, 226, 221,
    220, 215, 214, 209, 208, 822, -1,
    289, 288, 295, 294, 301, 300, 307, 306, 313, 312, 319, 318, 325, 324, 331, 330, 337, 336, 343, 342, 349, 348, 355,
    354, 361, 360, 367, 366, 824, 823,
    291, 290, 297, 296, 303, 302, 309, 308, 315, 314, 321, 320, 327, 326, 333, 332, 339, 338, 345, 344, 351, 350, 357,
    356, 363, 362, 369, 368, 825, -1,
    293, 292, 299, 298, 305, 304, 311, 310, 317, 316, 323, 322, 329, 328, 335, 334, 341, 340, 347, 346, 353, 352, 359,
    358, 365, 364, 371, 370, 827, 826,
    409, 408, 403, 402, 397, 396, 391, 390, 79, 78, -2, -2, 13, 12, 37, 36, -1, -1, 44, 43, 109, 108, 385, 384, 379,
    378, 373, 372, 828, -1,
    411, 410, 405, 404, 399, 398, 393, 392, 81, 80, 40, -2, 15, 14, 39, 38, 3, 2, -1, 45, 111, 110, 387, 386, 381, 380,
    375, 374, 830, 829,
    413, 412, 407, 406, 401, 400, 395, 394, 83, 82, 41, -1, -1, -1, -1, -1, 5, 4, 47, 46, 113, 112, 389, 388, 383, 382,
    377, 376, 831, -1,
    415, 414, 421, 420, 427, 426, 103, 102, 55, 54, 16, -1, -1, -1, -1, -1, -1, -1, 20, 19, 85, 84, 433, 432, 439, 438,
    445, 444, 833, 832,
    417, 416, 423, 422, 429, 428, 105, 104, 57, 56, -1, -1, -1, -1, -1, -1, -1, -1, 22, 21, 87, 86, 435, 434, 441, 440,
    447, 446, 834, -1,
    419, 418, 425, 424, 431, 430, 107, 106, 59, 58, -1, -1, -1, -1, -1, -1, -1, -1, -1, 23, 89, 88, 437, 436, 443, 442,
    449, 448, 836, 835,
    481, 480, 475, 474, 469, 468, 48, -2, 30, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 0, 53, 52, 463, 462, 457, 456,
    451, 450, 837, -1,
    483, 482, 477, 476, 471, 470, 49, -1, -2, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -2, -1, 465, 464, 459, 458,
    453, 452, 839, 838,
    485, 484, 479, 478, 473, 472, 51, 50, 31, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 1, -2, 42, 467, 466, 461, 460,
    455, 454, 840, -1,
    487, 486, 493, 492, 499, 498, 97, 96, 61, 60, -1, -1, -1, -1, -1, -1, -1, -1, -1, 26, 91, 90, 505, 504, 511, 510,
    517, 516, 842, 841,
    489, 488, 495, 494, 501, 500, 99, 98, 63, 62, -1, -1, -1, -1, -1, -1, -1, -1, 28, 27, 93, 92, 507, 506, 513, 512,
    519, 518, 843, -1,
    491, 490, 497, 496, 503, 502, 101, 100, 65, 64, 17, -1, -1, -1, -1, -1, -1, -1, 18, 29, 95, 94, 509, 508, 515, 514,
    521, 520, 845, 844,
    559, 558, 553, 552, 547, 546, 541, 540, 73, 72, 32, -1, -1, -1, -1, -1, -1, 10, 67, 66, 115, 114, 535, 534, 529,
    528, 523, 522, 846, -1,
    561, 560, 555, 554, 549, 548, 543, 542, 75, 74, -2, -1, 7, 6, 35, 34, 11, -2, 69, 68, 117, 116, 537, 536, 531, 530,
    525, 524, 848, 847,
    563, 562, 557, 556, 551, 550, 545, 544, 77, 76, -2, 33, 9, 8, 25, 24, -1, -2, 71, 70, 119, 118, 539, 538, 533, 532,
    527, 526, 849, -1,
    565, 564, 571, 570, 577, 576, 583, 582, 589, 588, 595, 594, 601, 600, 607, 606, 613, 612, 619, 618, 625, 624, 631,
    630, 637, 636, 643, 642, 851, 850,
    567, 566, 573, 572, 579, 578, 585, 584, 591, 590, 597, 596, 603, 602, 609, 608, 615, 614, 621, 620, 627, 626, 633,
    632, 639, 638, 645, 644, 852, -1,
    569, 568, 575, 574, 581, 580, 587, 586, 593, 592, 599, 598, 605, 604, 611, 610, 617, 616, 623, 622, 629, 628, 635,
    634, 641, 640, 647, 646, 854, 853,
    727, 726, 721, 720, 715, 714, 709, 708, 703, 702, 697, 696, 691, 690, 685, 684, 679, 678, 673, 672, 667, 666, 661,
    660, 655, 654, 649, 648, 855, -1,
    729, 728, 723, 722, 717, 716, 711, 710, 705, 704, 699, 698, 693, 692, 687, 686, 681, 680, 675, 674, 669, 668, 663,
    662, 657, 656, 651, 650, 857, 856,
    731, 730, 725, 724, 719, 718, 713, 712, 707, 706, 701, 700, 695, 694, 689, 688, 683, 682, 677, 676, 671, 670, 665,
    664, 659, 658, 653, 652, 858, -1,
    733, 732, 739, 738, 745, 744, 751, 750, 757, 756, 763, 762, 769, 768, 775, 774, 781, 780, 787, 786, 793, 792, 799,
    798, 805, 804, 811, 810, 860, 859,
    735, 734, 741, 740, 747, 746, 753, 752, 759, 758, 765, 764, 771, 770, 777, 776, 783, 782, 789, 788, 795, 794, 801,
    800, 807, 806, 813, 812, 861, -1,
    737, 736, 743, 742, 749, 748, 755, 754, 761, 760, 767, 766, 773, 772, 779, 778, 785, 784, 791, 790, 797, 796, 803,
    802, 809, 808, 815, 814, 863, 862,
  ]
}
