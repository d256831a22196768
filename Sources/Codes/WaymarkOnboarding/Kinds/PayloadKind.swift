/// The kind of a code's text: a stable word for programs, built in or declared by the integrator.
public struct PayloadKind: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
  /// The word as policies, replies and events spell it.
  public let rawValue: String

  /// A kind by its word; whether the word means anything is for the policy to know.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// SAP mobile onboarding: a JSON object with `appID`, `host`, `auth`; bare or as the payload of a JWS.
  public static let sapOnboarding = Self(rawValue: "sapOnboarding")
  /// `com.sap.mdkclient://?AppId=…`, also with a scheme of the app's own.
  public static let sapLink = Self(rawValue: "sapLink")
  /// A signed token whose payload is a JSON object of claims (RFC 7519).
  public static let jwt = Self(rawValue: "jwt")
  /// A signed token whose payload is anything else (RFC 7515).
  public static let jws = Self(rawValue: "jws")
  /// Android Enterprise provisioning JSON.
  public static let androidEnterprise = Self(rawValue: "androidEnterprise")
  /// `WIFI:…;;`.
  public static let wifi = Self(rawValue: "wifi")
  /// Wi-Fi Easy Connect, `DPP:…;;`.
  public static let dpp = Self(rawValue: "dpp")
  /// `otpauth://`.
  public static let otpauth = Self(rawValue: "otpauth")
  /// A web address that carries GS1 application identifiers.
  public static let gs1DigitalLink = Self(rawValue: "gs1DigitalLink")
  /// `BEGIN:VCARD` … `END:VCARD`.
  public static let vcard = Self(rawValue: "vcard")
  /// An http or https address.
  public static let url = Self(rawValue: "url")
  /// Any other text.
  public static let text = Self(rawValue: "text")
  /// Bytes that are not text.
  public static let binary = Self(rawValue: "binary")

  /// Every built-in kind, in the order the documentation lists them.
  public static let builtIn: [Self] = [
    .sapOnboarding, .sapLink, .jwt, .jws, .androidEnterprise, .wifi, .dpp, .otpauth, .gs1DigitalLink, .vcard, .url,
    .text, .binary,
  ]

  /// The word itself.
  public var description: String { rawValue }
}
