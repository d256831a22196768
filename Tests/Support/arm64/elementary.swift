// The C library's functions for Embedded Swift, which has no module of one.
@_extern(c, "sin") func sin(_ x: Double) -> Double
@_extern(c, "cos") func cos(_ x: Double) -> Double
@_extern(c, "tan") func tan(_ x: Double) -> Double
@_extern(c, "atan") func atan(_ x: Double) -> Double
@_extern(c, "atan2") func atan2(_ y: Double, _ x: Double) -> Double
@_extern(c, "exp") func exp(_ x: Double) -> Double
@_extern(c, "log") func log(_ x: Double) -> Double
@_extern(c, "pow") func pow(_ x: Double, _ y: Double) -> Double
@_extern(c, "erfc") func erfc(_ x: Double) -> Double
