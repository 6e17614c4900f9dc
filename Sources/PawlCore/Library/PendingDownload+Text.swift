internal import struct FoundationEssentials.Data
internal import class FoundationEssentials.JSONDecoder
internal import class FoundationEssentials.JSONEncoder

extension PendingDownload {
    private static let version = 1

    /// JSON in one line.
    package var text: String {
        let stored = Stored(
            pawl: Self.version,
            key: key.text,
            name: name,
            url: url?.absoluteString,
            replaces: replaces,
            failure: failure
        )
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Texts can always be encoded.
        return (try? encoder.encode(stored)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    /// Reads what `text` writes, nil for anything else and for a newer version.
    package init?(text: String) {
        // What makes no sense is reported by the caller, who knows the file.
        guard text.utf8.count <= Self.longestText,
            let stored = try? JSONDecoder().decode(Stored.self, from: Data(text.utf8)),
            stored.pawl == Self.version, FileName.clean(stored.name) == stored.name
        else { return nil }
        key = StorageKey(stored.key)
        name = stored.name
        // Others may have written it: it is no more believed than what a user types.
        url = stored.url.flatMap { try? SourceURL.parse($0).url }
        replaces = stored.replaces
        failure = stored.failure
    }

    private struct Stored: Codable {
        var pawl: Int
        var key: String
        var name: String
        var url: String?
        var replaces: Bool
        var failure: Failure?
    }
}
