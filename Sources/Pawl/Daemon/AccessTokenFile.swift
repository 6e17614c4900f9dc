package import PawlCore
internal import PawlStorage
package import PawlWire

/// The file that holds what a program must know to use the daemon over TCP; the user's alone.
///
/// Two lines: the token, and what a browser that a code let in has in its cookie.
package struct AccessTokenFile: Sendable {
    package struct Keys: Sendable, Hashable {
        package var token: String
        package var cookie: String
    }

    private let file: PrivateFile

    package init(_ places: DaemonPlaces) { self.init(path: "\(places.storeFolder)/api-token") }

    package init(path: String) {
        file = PrivateFile(
            path: path,
            what: "the daemon's token",
            advice: "make a new one: pawl daemon token --new"
        )
    }

    /// Those that are there, or new ones where there are none.
    ///
    /// The folder must be there.
    package func keys() throws(DownloadError) -> Keys {
        if let keys = try read() { return keys }
        // Who was faster has the name.
        try file.write(Self.made(), .keep)
        guard let keys = try read() else { throw file.failure("it went away", "reading") }
        return keys
    }

    /// New ones in place of those that were there, which are worth nothing from now on.
    package func renew() throws(DownloadError) -> Keys {
        try file.write(Self.made(), .replace)
        guard let keys = try read() else { throw file.failure("it went away", "reading") }
        return keys
    }

    /// Nil where there is none.
    package var stamp: PrivateFile.Stamp? { file.stamp }

    /// What a browser that logs in with a token has in its cookie: not the token itself, and worth as much.
    ///
    /// Nil if this system computes no SHA-256.
    package static func cookie(forToken token: String) -> String? {
        // Without it there is no cookie, and so nobody comes in by one.
        guard let digest = try? TextDigest.sha256("pawl cookie \(token)") else { return nil }
        return RandomText.text(of: digest.bytes)
    }

    /// Nil where there is none.
    private func read() throws(DownloadError) -> Keys? {
        guard let text = try file.read() else { return nil }
        let lines = text.split(separator: "\n")
        guard lines.count == 2, lines.allSatisfy({ $0.utf8.count == RandomText.length }) else {
            throw file.failure("it holds no token", "reading")
        }
        return Keys(token: String(lines[0]), cookie: String(lines[1]))
    }

    private static func made() -> String { "\(RandomText.make())\n\(RandomText.make())\n" }
}

/// Text that nobody can guess.
package enum RandomText {
    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8
    )

    /// Of `make`.
    package static let length = 43

    /// 256 bits of the system's generator, in 43 characters that a URL may hold (RFC 4648 §5).
    package static func make() -> String {
        var generator = SystemRandomNumberGenerator()
        let words = (0..<4).map { _ in generator.next() as UInt64 }
        return text(
            of: words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) }
            }
        )
    }

    /// Bytes in the same form, six bits a character.
    package static func text(of bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        var (bits, count): (UInt32, UInt32) = (0, 0)
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            count += 8
            while count >= 6 {
                count -= 6
                text.append(alphabet[Int(bits >> count & 63)])
            }
        }
        if count > 0 { text.append(alphabet[Int(bits << (6 - count) & 63)]) }
        return String(decoding: text, as: UTF8.self)
    }
}
