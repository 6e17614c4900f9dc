/// The text of a file with a private key, in the format of OpenSSH or PEM.
package enum PrivateKeyText {
    /// Whether the text is a private key that is encrypted.
    package static func isEncrypted(_ text: String) -> Bool {
        text.contains("-----BEGIN OPENSSH PRIVATE KEY-----")
            ? !text.contains(openSSHWithoutCipher) : text.contains("ENCRYPTED")
    }

    /// The beginning of an OpenSSH key that is not encrypted, in Base64: the name of the format, then
    /// that of the cipher, `none`.
    private static let openSSHWithoutCipher = "b3BlbnNzaC1rZXktdjEAAAAABG5vbmU"
}
