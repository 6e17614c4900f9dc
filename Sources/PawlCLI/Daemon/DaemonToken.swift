internal import Pawl
internal import PawlCore

/// The token for a daemon over TCP, from where the user keeps it.
enum DaemonToken {
    private static let mostBytes = 64 << 10

    /// Returns the token that an option gives, names or prints with a command.
    ///
    /// No error contains it.
    static func read(_ option: OptionAssignment) throws(DownloadError) -> String {
        let text: String
        switch (option.form, option.name) {
        case (.command, _):
            text = try SecretCommand(option.value, location: option.location).output()
        case (_, UserConfig.daemonTokenFile): text = try content(of: option)
        default: text = option.value
        }
        let token = (text.split(whereSeparator: \.isNewline).first ?? "").trimmed(of: " \t")
        guard !token.isEmpty, token.utf8.count < 1000,
            token.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else {
            throw .usage(
                "\(option.location): this is not a token",
                advice: "give one line, as 'pawl daemon token' prints it on the daemon's machine"
            )
        }
        return token
    }

    private static func content(of option: OptionAssignment) throws(DownloadError) -> String {
        let (path, location) = (option.value, option.location)
        let form = "a file with the token that 'pawl daemon token' prints"
        guard OutputPath.isRegularFile(path) else {
            return try InputFile.text(
                of: path,
                location: location,
                form: form,
                hasBegun: option.isReserved
            )
        }
        let content: GivenFile.Content
        do throws(GivenFile.Failure) {
            content = try GivenFile(path).read(atMost: mostBytes)
        } catch {
            let reason =
                switch error {
                case .opening(let reason), .reading(let reason): reason
                case .unsuitable: "it is too large"
                }
            throw DownloadError(
                .fileUnreadable,
                "\(location): \(path.sanitized) cannot be read: \(reason)",
                advice: "use \(form)"
            )
        }
        guard content.isOnlyForUser else {
            throw DownloadError(
                .fileUnreadable,
                "\(location): other users can access the token in \(path.sanitized)",
                advice:
                    "make the file private: chmod 600 \(path.sanitized), and chown if it belongs "
                    + "to another user"
            )
        }
        return String(decoding: content.bytes, as: UTF8.self)
    }
}

extension OptionAssignment {
    /// Whether `ChosenDaemon` has reserved standard input for the option.
    fileprivate var isReserved: Bool {
        switch origin {
        case .commandLine, .variable: true
        case .line, .named: false
        }
    }
}
