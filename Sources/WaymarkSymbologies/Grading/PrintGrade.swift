/// The print quality of a symbol after ISO/IEC 15416 (bars) or ISO/IEC 15415 (matrix codes), as far as a picture shows it.
public struct PrintGrade: Hashable, Sendable {
  /// The letters of a grade, the best first; in numbers 4 to 0.
  public enum Letter: String, Hashable, Sendable, Codable, CaseIterable {
    /// 4, or 3.5 and more of a mean.
    case a = "A"
    /// 3, or 2.5 and more.
    case b = "B"
    /// 2, or 1.5 and more.
    case c = "C"
    /// 1, or 0.5 and more.
    case d = "D"
    /// 0, or less than 0.5.
    case f = "F"

    /// The letter of a number of grades, 0 to 4.
    public init(_ value: Double) {
      self = value >= 3.5 ? .a : value >= 2.5 ? .b : value >= 1.5 ? .c : value >= 0.5 ? .d : .f
    }
  }

  /// A graded parameter, by the words of the standards.
  public enum Parameter: String, Hashable, Sendable, Codable, CaseIterable {
    /// Of bars: whether the line has as many edges as its symbol (ISO/IEC 15416).
    case edgeDetermination
    /// Of bars: whether the darkest bar reflects half of what the lightest space does, at most.
    case minimumReflectance
    /// Of bars: the least difference between a bar and a space beside it.
    case minimumEdgeContrast
    /// Of bars: the largest unevenness within a bar or a space.
    case defects
    /// Of bars: how far widths are from where they would be read as others.
    case decodability
    /// The difference between light and dark.
    case symbolContrast
    /// How even light and dark are, as a share of that difference.
    case modulation
    /// True if it can be read at all.
    case decode
    /// Of matrix codes: modulation that knows which modules should be light and which dark (ISO/IEC 15415).
    case reflectanceMargin
    /// Of matrix codes: what is damaged in finder, timing and alignment patterns and in the quiet zone.
    case fixedPatternDamage
    /// Of matrix codes: how different the spacing of modules is along both axes.
    case axialNonuniformity
    /// Of matrix codes: how far modules lie from an even grid, in modules.
    case gridNonuniformity
    /// Of matrix codes: the share of error correction that was not needed.
    case unusedErrorCorrection
  }

  /// One parameter.
  public struct Part: Hashable, Sendable {
    /// Which one.
    public var parameter: Parameter
    /// The measured value, a share between 0 and 1 but for grid nonuniformity, which is in modules; the mean over the scan lines
    /// of bars; `nil` where the parameter only passes or fails.
    public var measured: Double?
    /// Its grade, 0 to 4; the mean over the scan lines of bars.
    public var value: Double

    /// Its grade as a letter.
    public var letter: Letter { Letter(value) }

    /// A parameter with its grade.
    package init(parameter: Parameter, measured: Double?, value: Double) {
      self.parameter = parameter
      self.measured = measured
      self.value = value
    }
  }

  /// `ISO/IEC 15416` or `ISO/IEC 15415`.
  public var standard: String
  /// The grade of the symbol, 0 to 4: of a matrix code that of its worst parameter; of bars the mean over the scan lines of
  /// what the worst parameter of each has.
  public var value: Double
  /// Every parameter.
  public var parts: [Part]
  /// How many scan lines were graded; one for a matrix code.
  public var lines: Int

  /// The grade as a letter.
  public var letter: Letter { Letter(value) }

  /// A grade from its parts.
  package init(standard: String, value: Double, parts: [Part], lines: Int) {
    self.standard = standard
    self.value = value
    self.parts = parts
    self.lines = lines
  }

  /// The parameters that no picture of an uncalibrated camera tells.
  public static let unknown: [Unknown] = Unknown.allCases

  /// A parameter that a verifier knows and a camera does not.
  public enum Unknown: String, Hashable, Sendable, Codable, CaseIterable {
    /// Reflectance in relation to a white standard: the white of the picture counts as 100 %.
    case absoluteReflectance
    /// The diameter of the measuring aperture: it is what the lens and the pixels make of it.
    case aperture
    /// The angle, colour and evenness of the light.
    case light
    /// The angle of view: what a tilted camera does to distances is taken out of matrix codes, and cannot be told from print.
    case angleOfView
  }

  /// The grade of a value for which more is better.
  package static func grade(_ value: Double, _ limits: [Double]) -> Double {
    Double(4 - (limits.firstIndex { value >= $0 } ?? 4))
  }

  /// The grade of a value for which less is better.
  package static func grade(_ value: Double, atMost limits: [Double]) -> Double {
    Double(4 - (limits.firstIndex { value <= $0 } ?? 4))
  }

  package static let contrastLimits = [0.7, 0.55, 0.4, 0.2]
  package static let correctionLimits = [0.62, 0.5, 0.37, 0.25]
}
