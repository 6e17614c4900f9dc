internal import struct FoundationEssentials.URL

extension PendingDownload {
    /// JSON in one line.
    package var text: String {
        KeptLine(
            Stored(
                key: key.text,
                name: name,
                url: url?.absoluteString,
                replaces: replaces,
                failure: failure
            )
        ).text
    }

    /// Reads what `text` writes, nil for anything else and for a newer version.
    package init?(text: String) {
        guard let stored = KeptLine<Stored>(text: text, longest: Self.longestText)?.content,
            FileName.clean(stored.name) == stored.name
        else { return nil }
        key = StorageKey(stored.key)
        name = stored.name
        // Others may have written it: it is no more believed than what a user types.
        url = stored.url.flatMap { try? SourceURL.parse($0).url }
        replaces = stored.replaces
        failure = stored.failure
    }

    private struct Stored: Codable {
        var key: String
        var name: String
        var url: String?
        var replaces: Bool
        var failure: Failure?
    }
}
