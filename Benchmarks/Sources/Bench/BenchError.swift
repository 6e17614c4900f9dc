internal import Glibc

/// The reason why a case, or the whole benchmark, cannot continue.
struct BenchError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }

    /// Creates an error with the message of the last system call.
    static func system(_ doing: String) -> BenchError {
        BenchError("\(doing): \(String(cString: strerror(errno)))")
    }
}

/// The benchmark was ended with Ctrl-C or SIGTERM.
struct Interrupted: Error {}
