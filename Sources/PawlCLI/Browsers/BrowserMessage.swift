internal import PawlCore
internal import PawlWire

/// A message of the browser extension (docs/extension.md).
struct BrowserMessage: RequestObject {
    private enum CodingKeys: CodingKey, CaseIterable {
        case version, ping, add
    }

    static let knownMembers = KnownMembers(
        CodingKeys.self,
        objects: [.add: BrowserDownload.knownMembers]
    )

    /// The version of the protocol that this program speaks.
    static let currentVersion = 1

    var version: Int
    var ping: Bool?
    var add: [BrowserDownload]?

    /// Reads a message.
    ///
    /// Throws `.usage` for another version or an unknown member, and `.badResponse` for other
    /// invalid JSON.
    static func read(_ bytes: [UInt8]) throws(DownloadError) -> BrowserMessage {
        // A newer version may have other members.
        let version = try WireJSON.decode(Version.self, from: bytes).version
        guard version == currentVersion else {
            throw .usage(
                "the browser extension uses version \(version) of the protocol, but this pawl uses "
                    + "version \(currentVersion)",
                advice: "update both"
            )
        }
        return try WireJSON.decodeRequest(BrowserMessage.self, from: bytes)
    }

    private struct Version: Decodable {
        var version: Int
    }
}

/// The response to a message of the browser extension.
struct BrowserAnswer: Encodable {
    struct Added: Encodable {
        var id: Int64
        var name: String
    }

    /// What went wrong, in the words of the command.
    struct Failure: Encodable {
        var title: String
        var advice: String?
        var code: ErrorCode

        init(_ error: DownloadError) {
            title = error.message
            advice = error.guidance.isEmpty ? nil : error.guidance.text(for: .command)
            code = error.code
        }
    }

    var version = BrowserMessage.currentVersion
    var program: String?
    var added: [Added]?
    var problem: Failure?
}
