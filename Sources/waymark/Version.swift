/// The version of command and service.
let waymarkVersion = "0.1.0"
