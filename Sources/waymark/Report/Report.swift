import WaymarkCamera
import WaymarkProtocol

/// The facts for a bug report: the program, the machine, the cameras, the configuration without secrets, the service's figures,
/// its last words.
struct SupportReport: Encodable {
  struct Program: Encodable {
    var version: String
    var path: String
    /// Package and version of the libraries it uses, where the system can tell.
    var packages: [String: String]
  }

  struct Machine: Encodable {
    var system: String
    var kernel: String
    var architecture: String
    var processor: String
    var cores: Int
    /// In bytes.
    var memory: Int
    /// In seconds.
    var uptime: Int
    var container: String?
  }

  struct Service: Encodable {
    var socket: String
    var status: StatusResult?
    var problem: String?
    /// The state of the unit, as systemd tells it.
    var unit: [String]
  }

  struct Configuration: Encodable {
    var file: String?
    var lines: [String]
    var problems: [String]
    /// Variables that configure the service.
    var environment: [String]
  }

  struct Log: Encodable {
    var lines: [String]
    var problem: String?
  }

  var made: String
  var program: Program
  var machine: Machine
  var cameras: [AttachedCamera]
  var service: Service
  var configuration: Configuration
  var findings: [Finding]
  var log: Log
}
