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

    private static func isEncrypted(_ path: String) -> Bool {
        var status = stat()
        // A pipe can be read only once.
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            let text = UserFile(path: path).text
        else { return false }
        return PrivateKeyText.isEncrypted(text)
    }
}
