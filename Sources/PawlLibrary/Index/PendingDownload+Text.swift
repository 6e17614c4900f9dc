internal import struct FoundationEssentials.URL
internal import PawlCore

extension PendingDownload {
    /// The download as one line of JSON.
    package var text: String {
        KeptLine(
            Stored(
                key: key.text,
                name: name.text,
                url: url?.absoluteString,
                replaces: replaces,
                failure: failure,
                background: background
            )
        ).text
    }

    /// Parses the output of `text`; `nil` for anything else and for a newer version.
    package init?(text: String) {
        guard let stored = KeptLine<Stored>(text: text, longest: Self.longestText)?.content,
            FileName.clean(stored.name) == stored.name
        else { return nil }
        key = StorageKey(stored.key)
        name = ExactText(stored.name)
        // Others may have written it, so it is trusted no more than input of a user.
        url = stored.url.flatMap { try? SourceURL.parse($0).url }
        replaces = stored.replaces
        failure = stored.failure
        background = stored.background
    }

    private struct Stored: Codable {
        var key: String
        var name: String
        var url: String?
        var replaces: Bool
        var failure: Failure?
        var background: Background?
    }
}

extension PendingDownload.Background: Codable {
    private enum CodingKeys: CodingKey {
        case session, task, isOutdated
    }

    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        session = try values.decode(String.self, forKey: .session)
        task = try values.decode(Int.self, forKey: .task)
        isOutdated = try values.decodeIfPresent(Bool.self, forKey: .isOutdated) ?? false
    }

    /// Encodes the value; a download that is not out of date has no member for that.
    package func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(session, forKey: .session)
        try values.encode(task, forKey: .task)
        if isOutdated { try values.encode(true, forKey: .isOutdated) }
    }
}
