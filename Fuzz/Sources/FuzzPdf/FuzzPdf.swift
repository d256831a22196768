import CPictures
import FuzzConversion

@main
struct FuzzPdf {
  static func main() { fuzzConversion(CPICTURES_PDF) }
}
