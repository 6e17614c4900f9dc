internal import CPlatform
internal import Glibc
internal import PawlCore

/// Asks for a password on the terminal, without echo.
struct PasswordPrompt {
    /// What the password belongs to, for errors.
    private let location: String
    private let advice: Advice

    /// Asks for the password of a user.
    static func ask(
        for missing: MissingPassword,
        console: Console
    ) throws(DownloadError) -> String {
        let prompt = PasswordPrompt(
            location: missing.location,
            advice: "use --user name:password"
        )
        guard isPossible else {
            throw .usage(
                "\(missing.location): missing password, and no terminal to ask for it",
                advice: prompt.advice
            )
        }
        let shown = console.traits.style.showable(missing.name)
        let suffix = missing.isTyped ? "" : " (\(missing.location))"
        return try prompt.ask("Password for \(shown)\(suffix): ", console)
    }

    /// Asks for the password of a private key.
    static func ask(for key: LockedKey, console: Console) throws(DownloadError) -> String {
        let shown = console.traits.style.showable(key.file)
        return try PasswordPrompt(location: key.file.sanitized, advice: "use --key-password")
            .ask("Password for the key \(shown): ", console)
    }

    /// Whether there is a terminal to ask on.
    static var isPossible: Bool { isatty(STDIN_FILENO) == 1 }

    private func ask(_ question: String, _ console: Console) throws(DownloadError) -> String {
        var usual = termios()
        guard tcgetattr(STDIN_FILENO, &usual) == 0 else { throw unreadable }
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
        console.prompt(question)
        return try readLine()
    }

    private func readLine() throws(DownloadError) -> String {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while bytes.count < 4096 {
            let count = Glibc.read(STDIN_FILENO, &byte, 1)
            if count < 0, errno == EINTR {
                throw DownloadError(.interrupted, "interrupted; nothing was downloaded")
            }
            guard count == 1 else { throw unreadable }
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

    private var unreadable: DownloadError {
        DownloadError.usage(
            "\(location): the password cannot be read from the terminal",
            advice: advice
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
