internal import Pawl
package import PawlCore

/// The files with a certificate and its private key, in PEM.
package struct TLSFiles: Sendable, Hashable {
    /// The path of the file with the certificate, and those of its intermediate authorities.
    package var certificate: String
    /// The path of the file with the private key, which may be the same.
    package var key: String

    private static let mostBytes = 1 << 20

    /// `key`: `nil` if it is in the file of the certificate.
    package init(certificate: String, key: String? = nil) {
        self.certificate = certificate
        self.key = key ?? certificate
    }

    /// The stamps of both files; `nil` for a file that does not exist.
    package var stamps: [ChangeStamp?] { [certificate, key].map { GivenFile($0).stamp } }

    /// Reads the file of the certificate.
    func readCertificate() throws(DownloadError) -> [UInt8] {
        try Self.read(certificate, "certificate", "pawl daemon start --tls-cert").bytes
    }

    /// Reads the file of the key.
    ///
    /// Throws if other users may read it.
    func readKey() throws(DownloadError) -> [UInt8] {
        let content = try Self.read(key, "key", "pawl daemon start --tls-key")
        guard content.isPrivate else {
            throw Self.failure(
                "other users can access the TLS key in \(key.sanitized)",
                Advice("make it private: chmod 600 \(key.sanitized)")
            )
        }
        return content.bytes
    }

    private static func read(
        _ path: String,
        _ what: String,
        _ command: String
    ) throws(DownloadError) -> GivenFile.Content {
        do throws(GivenFile.Failure) {
            return try GivenFile(path).read(atMost: mostBytes)
        } catch {
            let name = path.sanitized
            switch error {
            case .opening(let reason):
                throw failure(
                    "the file \(name) of the TLS \(what) cannot be opened: \(reason)",
                    Advice("give a file that the daemon's user can read: \(command) FILE")
                )
            case .reading(let reason):
                throw failure(
                    "the file \(name) of the TLS \(what) cannot be read: \(reason)",
                    Advice("check the file, or give another: \(command) FILE")
                )
            case .unsuitable:
                throw failure(
                    "\(name) cannot be the file of the TLS \(what): it is not a regular file, or has more "
                        + "than 1 MiB",
                    Advice("give a file in PEM: \(command) FILE")
                )
            }
        }
    }

    static func failure(_ message: String, _ advice: Advice) -> DownloadError {
        DownloadError(.fileUnreadable, message, advice: advice)
    }
}
