internal import Glibc

/// Why a case, or the whole benchmark, cannot go on.
struct BenchError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }

    /// With what the last system call said.
    static func system(_ doing: String) -> BenchError {
        BenchError("\(doing): \(String(cString: strerror(errno)))")
    }
}

/// The user ended it with Ctrl-C, or something else with SIGTERM.
struct Interrupted: Error {}
