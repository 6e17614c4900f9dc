internal import CPlatform
internal import Glibc
internal import PawlCore

/// Asks for a password on the terminal, without echo.
enum PasswordPrompt {
    /// Asks for the password of a user.
    static func ask(
        for missing: MissingPassword,
        console: Console
    ) throws(DownloadError) -> String {
        let location = missing.location
        guard isatty(STDIN_FILENO) == 1 else {
            throw .usage(
                "\(location): missing password, and no terminal to ask for it",
                advice: "use --user name:password"
            )
        }
        var usual = termios()
        guard tcgetattr(STDIN_FILENO, &usual) == 0 else { throw unreadable(location) }
        // Ctrl-C must end the read and not the program, so that the echo is restored.
        let interruptions = Interruptions()
        var silent = usual
        silent.c_lflag &= ~tcflag_t(ECHO)
        _ = tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent)
        defer {
            _ = tcsetattr(STDIN_FILENO, TCSAFLUSH, &usual)
            interruptions.restore()
            console.message("")
        }
        let shown = console.traits.style.showable(missing.name)
        let place = missing.isTyped ? "" : " (\(location))"
        console.prompt("Password for \(shown)\(place): ")
        return try readLine(location)
    }

    private static func readLine(_ location: String) throws(DownloadError) -> String {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while bytes.count < 4096 {
            let count = Glibc.read(STDIN_FILENO, &byte, 1)
            if count < 0, errno == EINTR {
                throw DownloadError(.interrupted, "interrupted; nothing was downloaded")
            }
            guard count == 1 else { throw unreadable(location) }
            if byte == UInt8(ascii: "\n") { break }
            bytes.append(byte)
        }
        guard let password = String(validating: bytes, as: UTF8.self) else {
            throw .usage(
                "\(location): the typed password is not UTF-8",
                advice: "use a terminal with a UTF-8 locale"
            )
        }
        return password
    }

    private static func unreadable(_ location: String) -> DownloadError {
        DownloadError.usage(
            "\(location): the password cannot be read from the terminal",
            advice: "use --user name:password"
        )
    }
}

/// Signal handlers that do nothing except interrupt a blocking read.
private struct Interruptions {
    private var old: [(Int32, sigaction)] = []

    init() {
        for number in [SIGINT, SIGTERM, SIGHUP] {
            var nothing = sigaction()
            nothing.__sigaction_handler.sa_handler = { _ in }
            var before = sigaction()
            // Without SA_RESTART, the read returns.
            guard sigaction(number, &nothing, &before) == 0 else { continue }
            old.append((number, before))
        }
    }

    func restore() {
        for (number, action) in old {
            var action = action
            sigaction(number, &action, nil)
        }
    }
}
