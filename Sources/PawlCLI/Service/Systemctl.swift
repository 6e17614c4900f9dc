internal import CPlatform
internal import Glibc
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
        let command = ["sh", "-c", "exec systemctl --user \"$@\" 2>&1", "sh"] + words
        let arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var (child, output): (pid_t, Int32) = (0, -1)
        let code = pawl_spawn_reader(command[0], arguments, &child, &output)
        guard code == 0 else {
            return Result(isSuccess: false, line: "systemctl: \(String(cString: strerror(code)))")
        }
        let text = String(decoding: readAll(output), as: UTF8.self)
        close(output)
        let isSuccess = pawl_reap(child) == 1
        let line = text.split(whereSeparator: \.isNewline).first.map(String.init)
        return Result(isSuccess: isSuccess, line: (line ?? "systemctl failed").sanitized)
    }

    /// The command line as text.
    static func text(_ words: [String]) -> String {
        (["systemctl", "--user"] + words).joined(separator: " ")
    }

    private static func readAll(_ descriptor: Int32) -> [UInt8] {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 4096)
        while true {
            var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            _ = poll(&entry, 1, -1)
            let count = read(descriptor, &piece, piece.count)
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            guard count > 0 else { return bytes }
            if bytes.count < 1 << 20 { bytes += piece[..<count] }
        }
    }
}
