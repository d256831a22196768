/// The version of the command and the
/// service.
package let waymarkVersion = "0.1.0"
