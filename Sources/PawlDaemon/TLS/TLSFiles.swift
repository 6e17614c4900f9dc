internal import Glibc
internal import PawlCore

/// The files with a certificate and its private key, in PEM.
package struct TLSFiles: Sendable, Hashable {
    /// The certificate, followed by those of the authorities between it and the client's.
    package var certificate: String
    /// The private key, which may be in the same file.
    package var key: String

    /// `key`: `nil` if it is in the file of the certificate.
    package init(certificate: String, key: String? = nil) {
        self.certificate = certificate
        self.key = key ?? certificate
    }

    /// Distinguishes the files from those that replace them.
    package struct Stamp: Sendable, Hashable {
        fileprivate var device: UInt64
        fileprivate var inode: UInt64
        fileprivate var size: Int64
        fileprivate var seconds: Int
        fileprivate var nanoseconds: Int
    }

    /// The stamps of both files; `nil` for a file that does not exist.
    package var stamps: [Stamp?] { [Self.stamp(certificate), Self.stamp(key)] }

    private static func stamp(_ path: String) -> Stamp? {
        var status = stat()
        // Programs that renew certificates replace symbolic links, so the link's target counts.
        guard stat(path, &status) == 0 else { return nil }
        return Stamp(
            device: UInt64(status.st_dev),
            inode: UInt64(status.st_ino),
            size: Int64(status.st_size),
            seconds: status.st_ctim.tv_sec,
            nanoseconds: status.st_ctim.tv_nsec
        )
    }

    // MARK: - Reading

    private static let mostBytes = 1 << 20

    /// Reads the file of the certificate.
    func readCertificate() throws(DownloadError) -> [UInt8] {
        try read(certificate, "certificate", "pawl daemon start --tls-cert", isSecret: false)
    }

    /// Reads the file of the key.
    ///
    /// Throws if other users may read it.
    func readKey() throws(DownloadError) -> [UInt8] {
        try read(key, "key", "pawl daemon start --tls-key", isSecret: true)
    }

    private func read(
        _ path: String,
        _ what: String,
        _ command: String,
        isSecret: Bool
    ) throws(DownloadError) -> [UInt8] {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else {
            throw Self.failure(
                "the file \(path.sanitized) of the TLS \(what) cannot be opened: "
                    + String(cString: strerror(errno)),
                Advice("give a file that the daemon's user can read: \(command) FILE")
            )
        }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            status.st_size <= Self.mostBytes
        else {
            throw Self.failure(
                "\(path.sanitized) is no file of a TLS \(what)",
                Advice("give a file in PEM with at most 1 MiB: \(command) FILE")
            )
        }
        if isSecret { try checkIsPrivate(status) }
        var bytes = [UInt8](repeating: 0, count: Self.mostBytes)
        var count = 0
        while count < bytes.count {
            let more = bytes.withUnsafeMutableBytes {
                Glibc.read(file, $0.baseAddress.map { $0 + count }, $0.count - count)
            }
            if more < 0, errno == EINTR { continue }
            guard more >= 0 else {
                throw Self.failure(
                    "the file \(path.sanitized) of the TLS \(what) cannot be read: "
                        + String(cString: strerror(errno)),
                    Advice("check the file, or give another: \(command) FILE")
                )
            }
            guard more > 0 else { break }
            count += more
        }
        return Array(bytes[..<count])
    }

    /// Applies ssh's rule: a file of the user must be readable by nobody else.
    ///
    /// A file of another user, such as root, may be readable by a group (Debian's `ssl-cert`), but
    /// not by everybody.
    private func checkIsPrivate(_ status: stat) throws(DownloadError) {
        let others: mode_t = status.st_uid == geteuid() ? 0o077 : 0o007
        guard status.st_mode & others != 0 else { return }
        throw Self.failure(
            "other users can access the TLS key in \(key.sanitized)",
            Advice("make it private: chmod 600 \(key.sanitized)")
        )
    }

    static func failure(_ message: String, _ advice: Advice) -> DownloadError {
        DownloadError(.fileUnreadable, message, advice: advice)
    }
}
