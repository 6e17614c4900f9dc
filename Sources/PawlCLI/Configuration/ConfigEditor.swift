internal import Glibc
internal import Pawl
internal import PawlCore

/// Opens the config file in the user's editor.
struct ConfigEditor: Sendable {
    private static let variables = ["VISUAL", "EDITOR"]

    private let path: String
    private let isNamed: Bool

    /// - Parameters:
    ///   - named: The file; `nil` for the usual one.
    init(_ named: String?) throws(DownloadError) {
        let location = ConfigLocation(named)
        isNamed = location.isNamed
        guard let path = location.path else {
            throw DownloadError(
                .directoryNotUsable,
                "cannot find the folder of the config file: there is no home folder",
                advice: "set HOME or XDG_CONFIG_HOME"
            )
        }
        self.path = path
    }

    /// Replaces this process with a shell that runs the editor.
    ///
    /// If the editor exits without an error, the shell runs `pawl config check`; otherwise, it
    /// exits with the editor's status. Throws if the shell cannot start.
    func run() async throws(DownloadError) -> Never {
        // The folder of a named file is the user's own affair.
        if !isNamed {
            _ = try await Places(applicationIdentifier: "pawl").folder(.preferences)
        }
        try create()
        let variables = Self.variables.compactMap { getenv($0).map { String(cString: $0) } }
        let editor = variables.first { !$0.isEmpty } ?? "vi"
        let program = OwnPath.text ?? "pawl"
        let script = """
            \(editor) "$1" || { status=$?; printf '%s\\n' "pawl: the editor ended with status \
            $status; run 'pawl config check' to check the file, or set VISUAL to another editor" >&2
            exit $status; }
            exec "$2" config check --config "$1"
            """
        let words = ["sh", "-c", script, "sh", path, program]
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        // An editor expects the usual signals.
        signal(SIGPIPE, SIG_DFL)
        var none = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, nil)
        execvp(words[0], &arguments)
        throw DownloadError(
            .fileUnreadable,
            "the shell cannot be started: \(String(cString: strerror(errno)))",
            advice: "edit \(path) yourself"
        )
    }

    /// Creates the file with examples, unless it exists.
    private func create() throws(DownloadError) {
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if file < 0, errno == EEXIST { return }
        let text = Array(Self.examples.utf8)
        let count = file < 0 ? -1 : write(file, text, text.count)
        let number = errno
        if file >= 0 { close(file) }
        guard count == text.count else {
            throw DownloadError(
                .fileNotCreatable,
                "\(path.sanitized) cannot be created: \(String(cString: strerror(number)))",
                advice: "create its folder, or make it writable"
            )
        }
    }

    /// The text of a new file, in which all lines are comments.
    static let examples = """
        # Options of pawl for all commands; see 'pawl config --help'. A key is the name of an option
        # without --. 'pawl config check' finds mistakes.

        [defaults]
        # directory = "~/Downloads"
        # connections = 8
        # limit = "2M"

        # Options for some hosts. '*' stands for any text.
        # [host."*.example.org"]
        # user = "me"
        # password-command = "pass show example.org"
        # header = ["Accept-Language: en"]

        """
}

/// The path of the running program.
private enum OwnPath {
    static var text: String? {
        guard let path = realpath("/proc/self/exe", nil) else { return nil }
        defer { free(path) }
        return String(cString: path)
    }
}
