internal import Glibc
internal import Pawl
internal import PawlCore

/// Runs `systemctl --user`.
enum Systemctl {
    struct Result {
        var isSuccess: Bool
        /// The first line of its output.
        var line: String
    }

    /// Runs `systemctl --user` with these arguments and waits for it.
    static func run(_ words: [String]) -> Result {
        // The reason of a failure is on standard error.
        let script = "exec systemctl --user \"$@\" 2>&1"
        let result = ChildProgram.run(["sh", "-c", script, "sh"] + words)
        if let code = result.startError {
            return Result(isSuccess: false, line: "systemctl: \(String(cString: strerror(code)))")
        }
        let line = result.line ?? "systemctl failed"
        return Result(isSuccess: result.isSuccess, line: line.sanitized)
    }

    /// The command line as text.
    static func text(_ words: [String]) -> String {
        (["systemctl", "--user"] + words).joined(separator: " ")
    }
}
