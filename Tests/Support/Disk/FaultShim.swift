internal import PawlCore
import Glibc
import SystemPackage

/// A library to preload into a program whose disk is to fail: a counter over all threads, and one
/// call that goes wrong.
///
/// `FaultPlan` says which one. The tests compile it once, from the C text beside this file.
package enum FaultShim {
    package struct CompilationFailed: Error {
        package var output: String
    }

    /// Compiles the library where that was not done yet; returns its path.
    package static func library() async throws -> String { try await compilation.value }

    /// What a count file says: the calls that were counted, by name.
    package static func counts(in text: String) -> [FaultPlan.Call: Int] {
        var counts: [FaultPlan.Call: Int] = [:]
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: " ")
            guard parts.count == 2, let call = FaultPlan.Call(rawValue: String(parts[0])) else {
                continue
            }
            counts[call] = Int(parts[1])
        }
        return counts
    }

    private static let compilation = Task { try await compile() }

    /// Beside the test program, under a name that tells the text: built again only when it changed.
    private static func compile() async throws -> String {
        let sum = source.utf8.reduce(UInt64(0)) { SplitMix64.mix($0 ^ UInt64($1)) }
        let library = BuiltProduct.path("pawl-fault-\(String(sum, radix: 16)).so")
        guard access(library, R_OK) != 0 else { return library }
        let folder = try ScratchFolder(in: BuiltProduct.folder)
        let text = try folder.write("shim.c", source)
        let fresh = folder.path("shim.so")
        let arguments = ["-shared", "-fPIC", "-O1", "-o", fresh, text, "-ldl"]
        var compiler = try await run("clang", arguments)
        if compiler == nil { compiler = try await run("cc", arguments) }
        guard let compiler, compiler.status.isSuccess else {
            let errors = compiler?.errors ?? "neither clang nor cc is there"
            throw CompilationFailed(output: String(errors.prefix(2000)))
        }
        // Atomic: another test run may be at the same.
        guard rename(fresh, library) == 0 else { throw Errno(rawValue: errno) }
        return library
    }

    private static func run(_ compiler: String, _ arguments: [String]) async throws
        -> FinishedProcess?
    {
        do throws(Errno) {
            return try await ProcessRunner.run(compiler, arguments)
        } catch .noSuchFileOrDirectory {
            return nil
        }
    }
}
