internal import CPlatform
internal import Glibc

/// Runs another program and waits for it.
package enum ChildProgram {
    package struct Result: Sendable {
        package var isSuccess = false
        package var output: [UInt8] = []
        /// The number of the error if the program could not be started.
        package var startError: Int32?

        /// The first line of the output that is not empty; `nil` if there is none.
        package var line: String? {
            let text = String(validating: output, as: UTF8.self)
            return text?.split(whereSeparator: \.isNewline).first.map(String.init)
        }
    }

    private static let maximumBytes = 1 << 20

    /// Runs a program, which is searched for in `PATH`, and returns its output.
    ///
    /// - Parameters:
    ///   - words: Its name and its arguments.
    ///   - usesTerminal: Whether it has this process's standard input and standard error; otherwise
    ///     it has no input, and its errors are not shown.
    ///   - seconds: The longest silence before it is killed; `nil` for no limit.
    package static func run(
        _ words: [String],
        usesTerminal: Bool = false,
        seconds: Int? = nil
    ) -> Result {
        let arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var (child, output): (pid_t, Int32) = (0, -1)
        let code = pawl_spawn_reader(words[0], arguments, usesTerminal ? 1 : 0, &child, &output)
        guard code == 0 else { return Result(startError: code) }
        let bytes = readAll(output, milliseconds: seconds.map { Int32($0 * 1000) } ?? -1)
        close(output)
        if bytes == nil { kill(child, SIGKILL) }
        return Result(isSuccess: pawl_reap(child) == 1, output: bytes ?? [])
    }

    /// Returns `nil` if nothing is written for the given time.
    private static func readAll(_ descriptor: Int32, milliseconds: Int32) -> [UInt8]? {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 4096)
        while true {
            var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let ready = poll(&entry, 1, milliseconds)
            if ready == 0 { return nil }
            let count = read(descriptor, &piece, piece.count)
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            guard count > 0 else { return bytes }
            if bytes.count < maximumBytes { bytes += piece[..<count] }
        }
    }
}
