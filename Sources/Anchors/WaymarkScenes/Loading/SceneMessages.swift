/// The messages about problems with pictures and actions.
extension SceneFolder.Refusal {
  var code: String {
    switch self {
    case .absolute, .outside: "outsideFolder"
    case .missing: "missingPicture"
    case .notAFile, .empty, .notAPicture, .unreadable: "badPicture"
    case .tooLarge: "pictureTooLarge"
    }
  }

  func message(_ path: String) -> String {
    let name = "'\(path.prefix(80))'"
    return switch self {
    case .absolute: "\(name) is an absolute path"
    case .outside: "\(name) lies outside the scene's folder"
    case .missing: "there is no picture \(name)"
    case .notAFile: "\(name) is not a file"
    case .empty: "\(name) is empty"
    case .tooLarge: "\(name) is larger than \(SceneLimits.pictureBytes >> 20) MiB"
    case .notAPicture: "\(name) is neither JPEG, PNG, WebP, BMP, GIF nor PNM"
    case .unreadable: "\(name) cannot be read"
    }
  }

  var hint: String {
    switch self {
    case .absolute, .outside: "put the picture into the folder and name it from there"
    case .missing: "put the picture into the folder or correct the name"
    case .tooLarge: "save it smaller"
    case .unreadable: "let the service's user read it"
    case .notAFile, .empty, .notAPicture: "put a JPEG, PNG, WebP, BMP, GIF or PNM picture there"
    }
  }
}

extension CardActionType {
  /// Returns the problem with the data of an action, if any. A link that is not a web address is refused: whoever shows
  /// the card will open what stands there.
  func problem(about data: String) -> (message: String, hint: String)? {
    switch self {
    case .link, .video:
      let lower = data.lowercased()
      let schemes = self == .link ? ["https://", "http://"] : ["https://", "http://", "rtsp://", "rtsps://"]
      guard let scheme = schemes.first(where: lower.hasPrefix), lower.count > scheme.count,
        !data.contains(where: \.isWhitespace)
      else {
        return ("'\(data.prefix(80))' is not a web address", "write a whole address with https://")
      }
      return nil
    case .phone:
      let digits = data.filter(\.isNumber)
      guard digits.count >= 3, data.allSatisfy({ $0.isASCII && ($0.isNumber || "+-()/. #*".contains($0)) }) else {
        return ("'\(data.prefix(80))' is not a telephone number", "write it like +49 6227 7 0")
      }
      return nil
    case .custom: return nil
    }
  }
}
