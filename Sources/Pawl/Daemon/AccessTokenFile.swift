internal import CPlatform
internal import Glibc
package import PawlCore
package import PawlWire

/// The file that holds what a program must know to use the daemon over TCP; the user's alone.
///
/// Two lines: the token, and what a browser has in its cookie in place of it.
package struct AccessTokenFile: Sendable {
    package struct Keys: Sendable, Hashable {
        package var token: String
        package var cookie: String
    }

    package let path: String

    package init(_ places: DaemonPlaces) { path = "\(places.storeFolder)/api-token" }

    package init(path: String) { self.path = path }

    /// Those that are there, or new ones where there are none.
    ///
    /// The folder must be there.
    package func keys() throws(DownloadError) -> Keys {
        if let keys = try read() { return keys }
        try write { temporary in
            // Who was faster has the name.
            link(temporary, path) == 0 || errno == EEXIST
        }
        guard let keys = try read() else { throw failure("it went away", "reading") }
        return keys
    }

    /// New ones in place of those that were there, which are worth nothing from now on.
    package func renew() throws(DownloadError) -> Keys {
        try write { temporary in rename(temporary, path) == 0 }
        guard let keys = try read() else { throw failure("it went away", "reading") }
        return keys
    }

    /// Tells one file of that name from another.
    package struct Stamp: Sendable, Hashable {
        private let inode: UInt64
        private let seconds: Int
        private let nanoseconds: Int

        fileprivate init(_ status: stat) {
            inode = UInt64(status.st_ino)
            (seconds, nanoseconds) = (status.st_ctim.tv_sec, status.st_ctim.tv_nsec)
        }
    }

    /// Nil where there is none.
    package var stamp: Stamp? {
        var status = stat()
        return lstat(path, &status) == 0 ? Stamp(status) : nil
    }

    // MARK: - Reading

    /// Nil where there is none.
    private func read() throws(DownloadError) -> Keys? {
        let file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else {
            if errno == ENOENT { return nil }
            throw failure(String(cString: strerror(errno)), "opening")
        }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            status.st_uid == geteuid(), status.st_mode & 0o077 == 0
        else {
            throw failure("others may read it, or it is somebody else's", "opening")
        }
        var bytes = [UInt8](repeating: 0, count: 1024)
        let count = max(0, Glibc.read(file, &bytes, bytes.count))
        let lines = String(decoding: bytes[..<count], as: UTF8.self).split(separator: "\n")
        guard lines.count == 2, lines.allSatisfy({ $0.utf8.count == Self.keyLength }) else {
            throw failure("it holds no token", "reading")
        }
        return Keys(token: String(lines[0]), cookie: String(lines[1]))
    }

    // MARK: - Writing

    /// A whole file gets the name, or none does.
    private func write(_ giveName: (String) -> Bool) throws(DownloadError) {
        let temporary = "\(path).\(getpid())"
        unlink(temporary)
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let file = open(temporary, flags, 0o600)
        guard file >= 0 else { throw failure(String(cString: strerror(errno)), "creating") }
        defer {
            close(file)
            unlink(temporary)
        }
        let bytes = Array("\(RandomText.make())\n\(RandomText.make())\n".utf8)
        guard Glibc.write(file, bytes, bytes.count) == bytes.count, fsync(file) == 0,
            giveName(temporary)
        else { throw failure(String(cString: strerror(errno)), "writing") }
    }

    private func failure(_ reason: String, _ what: String) -> DownloadError {
        DownloadError(
            .fileUnreadable,
            "the daemon's token cannot be used: \(reason)",
            advice: "make a new one: pawl daemon token --new",
            context: "\(what) \(path)"
        )
    }

    private static let keyLength = 43
}

/// Text that nobody can guess.
package enum RandomText {
    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8
    )

    /// 256 bits of the system's generator, in 43 characters that a URL may hold (RFC 4648 §5).
    package static func make() -> String {
        var generator = SystemRandomNumberGenerator()
        var bits = (0..<4).map { _ in generator.next() as UInt64 }
        var text: [UInt8] = []
        for index in 0..<43 {
            let (word, shift) = (index * 6 / 64, index * 6 % 64)
            var value = bits[word] >> UInt64(shift)
            if shift > 58, word + 1 < bits.count { value |= bits[word + 1] << UInt64(64 - shift) }
            text.append(alphabet[Int(value & 63)])
        }
        bits = []
        return String(decoding: text, as: UTF8.self)
    }
}
