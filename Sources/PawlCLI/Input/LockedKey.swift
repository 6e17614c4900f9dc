internal import Glibc
internal import PawlCore

/// A private key that is encrypted, and whose password is not given.
struct LockedKey: Hashable, Sendable {
    /// The file with the key.
    let file: String

    /// `nil` if the key is not encrypted, or the password is given.
    init?(of identity: ClientIdentity) {
        guard identity.keyPassword == nil,
            let file = identity.keyFile ?? identity.certificateFile
        else { return nil }
        // PKCS#12 is always encrypted.
        guard identity.keyFile == nil && identity.isPKCS12 || Self.isEncrypted(file) else {
            return nil
        }
        self.file = file
    }

    /// The key in a file that is known to be encrypted.
    init(file: String) { self.file = file }

    /// Asks for the password of each key that is encrypted, if there is a terminal to ask on.
    ///
    /// Otherwise the error of the download names the option.
    static func unlock(
        _ downloads: inout [RequestedDownload],
        _ console: Console
    ) throws(DownloadError) {
        guard PasswordPrompt.isPossible else { return }
        let identities = Set(downloads.map(\.settings.connection.clientIdentity))
        for key in Set(identities.compactMap(LockedKey.init(of:))) {
            let password = try PasswordPrompt.ask(for: key, console: console)
            for index in downloads.indices { downloads[index].unlock(key, with: password) }
        }
    }

    /// Asks for the password of the key in the settings, if it is encrypted and there is a terminal
    /// to ask on.
    static func unlock(
        _ settings: inout DownloadSettings,
        _ console: Console
    ) throws(DownloadError) {
        guard PasswordPrompt.isPossible,
            let key = LockedKey(of: settings.connection.clientIdentity)
        else { return }
        settings.connection.clientIdentity.keyPassword = try PasswordPrompt.ask(
            for: key,
            console: console
        )
    }

    private static func isEncrypted(_ path: String) -> Bool {
        var status = stat()
        // A pipe can be read only once.
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            let text = UserFile(path: path).text
        else { return false }
        return PrivateKeyText.isEncrypted(text)
    }
}
