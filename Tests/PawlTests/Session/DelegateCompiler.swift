import PawlTesting
import Testing

/// Compiles programs with delegates against the modules of this build.
enum DelegateCompiler {
    /// The first lines of each program.
    static let header = """
        import Foundation
        import FoundationNetworking
        import Pawl

        """

    /// Expects that a session cannot be created with a delegate that has one of some methods.
    ///
    /// `message` is the type that the compiler's message contains in quotes.
    static func expectRefused(_ mistakes: [(method: String, message: String)]) async throws {
        var text = header
        for (number, mistake) in mistakes.enumerated() {
            text += """
                final class Mistaken\(number): DownloadSessionDelegate {
                    \(mistake.method) {}
                }
                let session\(number) = DownloadSession(delegate: Mistaken\(number)())

                """
        }
        let (isSuccess, output) = try await compile(text)
        #expect(!isSuccess)
        let lines = output.split(separator: "\n")
        for (number, mistake) in mistakes.enumerated() {
            // Each class has three lines, and its use is in the fourth.
            let line = "main.swift:\(4 + 4 * number + 3):"
            let error = lines.first { $0.contains(line) && $0.contains("error: ") }
            #expect(
                error?.contains("'\(mistake.message)'") == true,
                "\(mistake.method): \(output)"
            )
        }
    }

    /// Type-checks a program.
    static func compile(
        _ text: String,
        _ options: [String] = []
    ) async throws -> (isSuccess: Bool, output: String) {
        let folder = try ScratchFolder()
        try folder.write("main.swift", text)
        // Of the C modules, the package's own and those of swift-system are needed.
        let root = "/" + #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
        let sources = "\(root)/Sources"
        let checkouts = "\(BuiltProduct.folder)/../../checkouts"
        let modules = [
            "\(BuiltProduct.folder)/Modules",
            "\(checkouts)/swift-system/Sources/CSystem/include",
            "\(sources)/CCrypto", "\(sources)/CCurl", "\(sources)/CExpat", "\(sources)/CPlatform",
        ]
        let compiler = try ProcessRunner(
            "/usr/bin/env",
            ["swiftc", "-typecheck", "-swift-version", "6"] + modules.flatMap { ["-I", $0] }
                + options + [folder.path("main.swift")]
        )
        let status = await compiler.waitForExit()
        #expect(!compiler.reachedTimeLimit)
        return (status.isSuccess, compiler.output + compiler.errors)
    }
}
