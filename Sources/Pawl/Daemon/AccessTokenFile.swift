internal import struct FoundationEssentials.Data
package import PawlCore
internal import PawlStorage
package import PawlWire

/// The file with the token that a program needs to use the daemon over TCP.
///
/// Only the user can read it.
///
/// It has two lines: the token, and the cookie of a browser that has logged in with a code.
package struct AccessTokenFile: Sendable {
    package struct Keys: Sendable, Hashable {
        package var token: String
        package var cookie: String
    }

    private let file: PrivateFile

    package init(_ paths: DaemonPaths) { self.init(path: "\(paths.storeFolder)/api-token") }

    package init(path: String) {
        file = PrivateFile(
            path: path,
            what: "the daemon's token",
            advice: "make a new one: pawl daemon token --new"
        )
    }

    /// Returns the existing keys, or creates new ones if there are none.
    ///
    /// The folder must exist.
    package func keys() throws(DownloadError) -> Keys {
        if let keys = try read() { return keys }
        // If another process was faster, its file already has this name.
        try file.write(Self.made(), .keep)
        guard let keys = try read() else { throw file.failure("it was removed", "reading") }
        return keys
    }

    /// Creates new keys in place of the existing ones, which are no longer valid.
    package func renew() throws(DownloadError) -> Keys {
        try file.write(Self.made(), .replace)
        guard let keys = try read() else { throw file.failure("it was removed", "reading") }
        return keys
    }

    /// The stamp of the file; `nil` if there is none.
    package var stamp: ChangeStamp? { file.stamp }

    /// Returns the cookie of a browser that logs in with a token.
    ///
    /// It is not the token itself, but grants the same rights.
    ///
    /// It is `nil` if this system cannot compute SHA-256.
    package static func cookie(forToken token: String) -> String? {
        // Without a digest there is no cookie, so that nobody can log in with one.
        SHA256.digest(of: "pawl cookie \(token)").map { RandomText.text(of: $0) }
    }

    /// Returns the digest of a token, a cookie or a login code, from which nobody can find it again.
    ///
    /// It is `nil` if this system cannot compute SHA-256.
    package static func digest(ofSecret secret: String) -> [UInt8]? {
        SHA256.digest(of: "pawl secret \(secret)")
    }

    /// Returns new keys, which are in no file.
    package static func makeKeys() -> Keys {
        Keys(token: RandomText.make(), cookie: RandomText.make())
    }

    /// Reads the keys; `nil` if there is no file.
    private func read() throws(DownloadError) -> Keys? {
        guard let text = try file.read() else { return nil }
        let lines = text.split(separator: "\n")
        guard lines.count == 2, lines.allSatisfy({ $0.utf8.count == RandomText.length }) else {
            throw file.failure("it contains no token", "reading")
        }
        return Keys(token: String(lines[0]), cookie: String(lines[1]))
    }

    private static func made() -> String { "\(RandomText.make())\n\(RandomText.make())\n" }
}

/// Creates text that nobody can guess.
package enum RandomText {
    /// The length of the output of `make`.
    package static let length = 43

    /// Creates 256 bits with the system's generator, as 43 characters that are allowed in a URL
    /// (RFC 4648 §5).
    package static func make() -> String {
        text(of: (0..<32).map { _ in .random(in: .min ... .max) })
    }

    /// Returns bytes in the same form, six bits per character.
    package static func text(of bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}
