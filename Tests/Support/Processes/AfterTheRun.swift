import Glibc

/// Commands of a shell that run when the test run has ended, even if it was killed.
///
/// They do not run if the object is released before.
final class AfterTheRun: Sendable {
    /// Longer than any test run.
    static let timeLimit = Duration.seconds(4 * 3600)

    private let shell: ProcessRunner

    init(_ commands: String) throws {
        shell = try ProcessRunner(
            "sh",
            ["-c", "tail --pid=\(getpid()) -f /dev/null\n\(commands)\n"],
            ProcessSettings(folder: "/", timeLimit: Self.timeLimit)
        )
    }
}
