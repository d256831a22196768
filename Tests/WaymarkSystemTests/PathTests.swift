import Foundation
import Testing

@testable import WaymarkSystem

@Suite struct PathTests {
  /// By hand: path, folder, name, extension, path without extension.
  @Test(arguments: [
    ["/a/b.yaml", "/a", "b.yaml", "yaml", "/a/b"], ["a/b.tar.gz", "a", "b.tar.gz", "gz", "a/b.tar"],
    ["b", "", "b", "", "b"], ["/b", "/", "b", "", "/b"], ["a/.hidden", "a", ".hidden", "", "a/.hidden"],
    ["a/b/", "a", "b", "", "a/b"], ["a.d/b", "a.d", "b", "", "a.d/b"], ["a//b", "a", "b", "", "a//b"],
  ]) func parts(path: [String]) {
    #expect(path[0].deletingLastPathComponent == path[1])
    #expect(path[0].lastPathComponent == path[2])
    #expect(path[0].pathExtension == path[3])
    #expect(path[0].deletingPathExtension == path[4])
  }

  @Test func aRelativePathStartsAtTheCurrentFolder() {
    let folder = FileManager.default.currentDirectoryPath
    let start = folder == "/" ? "" : folder
    #expect(
      ["/a/b", "a/b", "./a", "../a"].map(\.absolutePath) == ["/a/b", "\(start)/a/b", "\(start)/a", "\(start)/../a"])
  }

  @Test func whiteSpaceIsTrimmed() {
    #expect(" \t a b\r\n".trimmed == "a b")
    #expect(" \n ".trimmed.isEmpty)
  }

  @Test(arguments: [0, 1.005, -0.0004, 12.5, 1e9, .infinity]) func decimalsAsFoundationHasThem(number: Double) {
    #expect(number.decimals(3) == String(format: "%.3f", number))
    #expect(number.decimals(0) == String(format: "%.0f", number))
  }

  @Test func aProgramIsRunAndItsOutputRead() throws {
    let result = try ChildProgram.capture(["sh", "-c", "read x; echo out$x; echo complaint >&2; exit 3"])
    #expect(result.status == 3)
    #expect(result.output == Array("out\n".utf8))
    #expect(result.diagnostics == Array("complaint\n".utf8))
    #expect(try ChildProgram.run(["sh", "-c", "kill -9 $$"]) == 137)
    #expect(throws: FileError.self) { try ChildProgram.run(["/no/such/program"]) }
  }

  @Test func aConfinedProgramHasItsVariablesAlone() throws {
    let confinement = ChildProgram.Confinement(environment: ["A": "1"], timeout: 60)
    let result = try ChildProgram.capture(
      ["sh", "-c", "echo $A$HOME; echo complaint >&2; kill -9 $$"], isJoined: true, confinement: confinement)
    #expect(result.signal == 9 && result.status == 137 && !result.isOverdue)
    #expect(result.output == Array("1\ncomplaint\n".utf8) && result.diagnostics.isEmpty)
  }

  @Test func aConfinedProgramIsKilledWhenItsTimeIsOver() throws {
    let confinement = ChildProgram.Confinement(environment: ["PATH": "/usr/bin:/bin"], timeout: 0.05)
    let result = try ChildProgram.capture(
      ["sh", "-c", "yes & cat /dev/zero"], outputLimit: 10, confinement: confinement)
    #expect(result.isOverdue && result.signal == 9)
    #expect(result.output.count == 10)
  }

  @Test func whatDoesNotFitIntoAPipeIsReadWhole() throws {
    #expect(try ChildProgram.capture(["head", "-c", "3000000", "/dev/zero"]).output.count == 3_000_000)
  }
}
