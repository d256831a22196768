import CPictures
import FuzzConversion

@main
struct FuzzJxl {
  static func main() { fuzzConversion(CPICTURES_JXL) }
}
