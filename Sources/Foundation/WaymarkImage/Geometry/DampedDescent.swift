/// Levenberg and Marquardt's descent over up to eight unknowns (J. Moré, "The Levenberg–Marquardt algorithm", 1978): the damping falls tenfold with
/// each step that helps and rises tenfold with each that does not.
struct DampedDescent {
  /// How many unknowns a state has.
  var unknowns: Int
  /// The most steps.
  var iterations: Int
  /// The damping that it begins with; the larger, the shorter the first step.
  var damping: Double
  /// The damping does not fall below this with a step that helps.
  var leastDamping = 0.0
  /// It is at least this after a step that did not help.
  var leastRaised = 0.0
  /// It ends with a step that did not help although the damping was as great.
  var greatestDamping: Double
  /// It ends with a step that takes away no more than this share of the cost.
  var gain: Double

  /// - Parameters:
  ///   - cost: what is made small; not finite where a state is none.
  ///   - equations: the normal equations at a state.
  ///   - moved: a state moved by a solution of them.
  /// - Returns: the best state and its cost; `nil` where the first has no finite cost.
  @inline(__always)
  func run<State>(
    from start: State, cost: (State) -> Double, equations: (State) -> NormalEquations,
    moved: (State, SIMD8<Double>) -> State
  ) -> (state: State, cost: Double)? {
    var (best, least, damping) = (start, cost(start), damping)
    guard least.isFinite else { return nil }
    for _ in 0..<iterations {
      guard let step = equations(best).solve(count: unknowns, damping: damping) else { break }
      let candidate = moved(best, step)
      let next = cost(candidate)
      if next < least {
        let isEnough = least - next <= gain * next
        (best, least) = (candidate, next)
        damping = max(leastDamping, damping * 0.1)
        if isEnough { break }
      } else {
        guard damping < greatestDamping else { break }
        damping = max(leastRaised, damping * 10)
      }
    }
    return (best, least)
  }
}
