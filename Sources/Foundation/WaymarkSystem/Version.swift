/// The version of all programs of this release.
package let waymarkVersion = "0.1.0"
