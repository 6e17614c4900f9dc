import PawlCore
import Testing

/// The digests of pinned public keys, as programs and users write them.
@Suite(.timeLimit(.minutes(5)))
struct PinnedKeyTests {
    private static let digest = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="

    @Test(arguments: [digest, "sha256//\(digest)", " sha256//\(digest)\n"])
    func `a key may be written with curl's prefix`(text: String) throws {
        var settings = DownloadSettings()
        settings.connection.pinnedPublicKeys = [text]
        #expect(PublicKeyText.digest(of: text) == Self.digest)
        try settings.connection.checkPinnedKeys()
        let row = try #require(DownloadSettings.table[name: "pinned-public-key"])
        var typed = DownloadSettings()
        try row.parse(&typed, text)
        #expect(typed.connection.pinnedPublicKeys == [Self.digest])
    }

    @Test(arguments: [
        "", "sha256//", "abc", "sha1//\(digest)",
        // Two keys in one text, as curl's option has them.
        "sha256//\(digest);sha256//\(digest)",
        // The last character has bits that belong to no byte.
        "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFV=",
        // Without its padding, and one byte too long.
        String(digest.dropLast()), "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
    ])
    func `a text that is not the digest of a key is refused`(text: String) throws {
        var settings = DownloadSettings()
        settings.connection.pinnedPublicKeys = [Self.digest, text]
        let error = #expect(throws: DownloadError.self) {
            try settings.connection.checkPinnedKeys()
        }
        #expect(error?.code == .usage)
        #expect(error?.message.contains("is not the SHA-256 digest of a key") == true)
        #expect(error?.advice.contains("sha256//") == true)
        let row = try #require(DownloadSettings.table[name: "pinned-public-key"])
        #expect(throws: ValueError.self) { try row.parse(&settings, text) }
    }
}
