import NIOSSL
import WaymarkSystem

extension GatewayConfiguration {
  /// Returns the certificates in a PEM file.
  static func certificates(_ file: String) throws(GatewayError) -> [NIOSSLCertificate] {
    guard let bytes = try? WholeFile.read(file, limit: 1 << 20),
      let found = try? NIOSSLCertificate.fromPEMBytes(bytes), !found.isEmpty
    else {
      throw GatewayError(
        .cannotOpen, "\(file) cannot be read, or has no certificate", hint: "Name a file with certificates in PEM.")
    }
    return found
  }
}

extension GatewayConfiguration.TLS {
  /// The suites of TLS 1.2 as BoringSSL names them: authenticated encryption with forward secrecy. TLS 1.3 has no others.
  private static let cipherSuites = "ECDH+AESGCM:ECDH+CHACHA20"

  /// Throws if the certificate and the key cannot be used together.
  func check() throws(GatewayError) {
    do {
      _ = try NIOSSLContext(configuration: encryption())
    } catch {
      throw GatewayError(
        .cannotOpen, "\(keyFile) is not the key of the certificate in \(certificateFile)",
        hint: "Name a certificate and its key, both in PEM.")
    }
  }

  /// Returns the configuration of a server with the certificate.
  func encryption() throws -> TLSConfiguration {
    let chain = try GatewayConfiguration.certificates(certificateFile).map { NIOSSLCertificateSource.certificate($0) }
    let key = try NIOSSLPrivateKey(file: keyFile, format: .pem)
    var configuration = TLSConfiguration.makeServerConfiguration(certificateChain: chain, privateKey: .privateKey(key))
    configuration.minimumTLSVersion = .tlsv12
    configuration.cipherSuites = Self.cipherSuites
    configuration.applicationProtocols = ["http/1.1"]
    return configuration
  }
}
