/// The version of command and service.
package let waymarkVersion = "0.1.0"
