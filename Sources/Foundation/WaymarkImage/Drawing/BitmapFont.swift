/// A font of 5 x 7 pixels, drawn for this project: enough for labels.
package enum BitmapFont {
  package static let width = 5
  package static let height = 7

  /// Seven rows from the top; the five lowest bits of each are its pixels, the leftmost one highest.
  package static func rows(of character: Character) -> [Int] {
    (glyphs[character] ?? "vhhhhhv").compactMap { Int(String($0), radix: 32) }
  }

  /// The width of a line of text in pixels, at scale 1.
  package static func width(of text: String) -> Int { max(0, text.count * (width + 1) - 1) }

  /// Each row is a digit to the base 32, whose five bits are the pixels: `e` is 01110.
  private static let glyphs: [Character: String] = [
    " ": "0000000", "!": "4444404", "\"": "aa00000", "#": "aavavaa", "%": "op248j3", "'": "4480000", "(": "2488842",
    ")": "8422248", "+": "044v440", ",": "0000c48", "-": "000v000", ".": "00000cc", "/": "01248g0", ":": "0cc0cc0",
    "=": "00v0v00", "?": "eh12404", "_": "000000v",
    "0": "ehjlphe", "1": "4c4444e", "2": "eh1248v", "3": "v2421he", "4": "26aiv22", "5": "vgu11he", "6": "68guhhe",
    "7": "v124888", "8": "ehhehhe", "9": "ehhf12c",
    "A": "ehhvhhh", "B": "uhhuhhu", "C": "ehggghe", "D": "uhhhhhu", "E": "vgguggv", "F": "vgguggg", "G": "ehgnhhf",
    "H": "hhhvhhh", "I": "e44444e", "J": "72222ic", "K": "hikokih", "L": "ggggggv", "M": "hrllhhh", "N": "hhpljhh",
    "O": "ehhhhhe", "P": "uhhuggg", "Q": "ehhhlid", "R": "uhhukih", "S": "fgge11u", "T": "v444444", "U": "hhhhhhe",
    "V": "hhhhha4", "W": "hhhllla", "X": "hha4ahh", "Y": "hha4444", "Z": "v1248gv",
    "a": "00e1fhf", "b": "gguhhhu", "c": "00egghe", "d": "11fhhhf", "e": "00ehvge", "f": "698s888", "g": "0fhhf1e",
    "h": "gguhhhh", "i": "40c444e", "j": "20622ic", "k": "ggikoki", "l": "c44444e", "m": "00qllhh", "n": "00uhhhh",
    "o": "00ehhhe", "p": "00uhugg", "q": "00fhf11", "r": "00mpggg", "s": "00fge1u", "t": "88s8896", "u": "00hhhjd",
    "v": "00hhha4", "w": "00hhlla", "x": "00ha4ah", "y": "0hhhf1e", "z": "00v248v",
  ]
}
