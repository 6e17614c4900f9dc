internal import struct FoundationEssentials.Date
internal import struct FoundationEssentials.URL
internal import Pawl
internal import PawlCore
internal import PawlWire

/// The key of a request that adds something: a repeated request adds nothing.
struct IdempotencyKey: Sendable {
    /// The key as it is stored.
    private let text: String
    private let fingerprint: Int64

    /// `contents`: what is added, without its secrets.
    init(_ key: String, of authority: Authority, contents: [UInt8]) {
        fingerprint = Int64(bitPattern: CyclicChecksum.of(contents))
        text = Self.text(key, of: authority)
    }

    /// Returns a key as it is stored: the same key of another owner is another key.
    static func text(_ key: String, of authority: Authority) -> String {
        guard let owner = authority.owner, owner != .user else { return key }
        // A key of the user has 256 bytes at most, so none is that long.
        return String(repeating: "\n", count: 256) + "\(owner.text)\n\(key)"
    }

    /// Returns the ids of what an earlier request with the key has added; `nil` if there was none.
    ///
    /// - Throws: `.conflict` if that request has added something else.
    func ids(_ transaction: StoreTransaction) throws -> ClosedRange<Int64>? {
        guard let known = try transaction.idempotencyKeys.entry(for: text) else { return nil }
        guard known.fingerprint == fingerprint else { throw Self.isTaken }
        return known.ids
    }

    func record(_ ids: ClosedRange<Int64>, _ transaction: StoreTransaction) throws {
        let entry = IdempotencyTable.Entry(fingerprint: fingerprint, ids: ids)
        try transaction.idempotencyKeys.add(text, entry, at: transaction.now)
    }

    static let isTaken = Conflict.error(
        "the idempotency key was already used for another request",
        advice: "use a new key for each request"
    )
}

extension NewDownload {
    /// Returns the request without its secrets, for a checksum that is stored for a while.
    func withoutSecrets(url: String) -> NewDownload {
        var plain = self
        plain.url = url
        plain.resumeData = nil
        plain.settings = settings?.withoutSecrets
        plain.settings?[\.fields] = settings?[\.fields]?.map { HTTPField(name: $0.name, value: "") }
        plain.settings?[\.mirrors] = settings?[\.mirrors]?.compactMap { URL(string: $0.redacted) }
        return plain
    }
}
