internal import PawlCore
import Glibc
import SystemPackage

/// A library that is preloaded into a program to fail one of its disk calls, counted over all
/// threads.
///
/// `FaultPlan` selects the call. The tests compile the library once, from the C source beside this
/// file.
package enum FaultShim {
    package struct CompilationFailed: Error {
        package var output: String
    }

    /// Compiles the library if necessary and returns its path.
    package static func library() async throws -> String { try await compilation.value }

    /// Parses a count file into the number of counted calls by name.
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

    /// Compiles the library beside the test program.
    ///
    /// The name depends on the source, so that the library is built again only when the source
    /// changes.
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
            let errors = compiler?.errors ?? "found neither clang nor cc"
            throw CompilationFailed(output: String(errors.prefix(2000)))
        }
        // The rename is atomic, because another test run may compile the library at the same time.
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
