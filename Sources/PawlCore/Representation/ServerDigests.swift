/// The digests of the whole file in a response's head.
package enum ServerDigests {
    /// Returns the digests, strongest first, one per algorithm.
    ///
    /// Malformed digests and those of parts are left out.
    package static func parse(_ head: ResponseHead) -> [ContentDigest] {
        // Both fields describe the whole file, even in a 206 (RFC 9530 §3 and RFC 3230 §4.1.1).
        var found = reprDigest(head) + dictionary(head.values("Digest"))
        if head.status != 206 {
            found += digest(.md5, head["Content-MD5"]) + google(head) + amazon(head)
        }
        guard !found.isEmpty else { return [] }
        var strongest: [ContentDigest] = []
        for algorithm in DigestAlgorithm.allCases.reversed() {
            strongest += found.first { $0.algorithm == algorithm }.map { [$0] } ?? []
        }
        return strongest
    }

    /// Parses `sha-256=:base64:`, a dictionary of byte sequences (RFC 9530 §3, RFC 9651 §3.2).
    private static func reprDigest(_ head: ResponseHead) -> [ContentDigest] {
        members(head.values("Repr-Digest")).flatMap { name, value in
            let parts = value.split(separator: ":", omittingEmptySubsequences: false)
            guard parts.count == 3, parts[0].isEmpty else { return [ContentDigest]() }
            return digest(algorithm(named: name), String(parts[1]))
        }
    }

    /// Parses `SHA-256=base64,md5=base64` (RFC 3230 §4.3.2).
    private static func dictionary(_ fields: [String]) -> [ContentDigest] {
        members(fields).flatMap { name, value in digest(algorithm(named: name), value) }
    }

    /// Parses Google's hash.
    ///
    /// The hash is that of the stored bytes. If these are gzip and were decoded on the way, the
    /// received bytes have a different hash.
    private static func google(_ head: ResponseHead) -> [ContentDigest] {
        let hashes = head.values("x-goog-hash")
        guard !hashes.isEmpty else { return [] }
        let stored = head["x-goog-stored-content-encoding"] ?? "identity"
        let sent = Representation.contentEncoding(head["Content-Encoding"]) ?? "identity"
        guard stored.trimmed.lowercased() == sent else { return [] }
        return dictionary(hashes)
    }

    /// Parses Amazon's checksums.
    ///
    /// The checksum of a composite object is computed from the checksums of its parts. It is marked
    /// by `base64-N`, or by its type.
    private static func amazon(_ head: ResponseHead) -> [ContentDigest] {
        let digests =
            digest(.sha256, head["x-amz-checksum-sha256"])
            + digest(.sha1, head["x-amz-checksum-sha1"])
            + digest(.crc32c, head["x-amz-checksum-crc32c"])
        guard !digests.isEmpty, head["x-amz-checksum-type"]?.trimmed.uppercased() != "COMPOSITE"
        else { return [] }
        return digests
    }

    private static func members(_ fields: [String]) -> [(name: String, value: String)] {
        fields.flatMap { $0.split(separator: ",") }.compactMap { member in
            guard let equals = member.firstIndex(of: "=") else { return nil }
            return (member[..<equals].trimmed, member[member.index(after: equals)...].trimmed)
        }
    }

    private static func algorithm(named name: String) -> DigestAlgorithm? {
        switch name.lowercased() {
        case "sha-512": .sha512
        case "sha-384": .sha384
        case "sha-256": .sha256
        case "sha", "sha-1": .sha1
        case "md5": .md5
        case "crc32c": .crc32c
        default: nil
        }
    }

    private static func digest(_ algorithm: DigestAlgorithm?, _ text: String?) -> [ContentDigest] {
        guard let algorithm, let text, let bytes = [UInt8](base64: text.trimmed),
            let digest = ContentDigest(algorithm, bytes: bytes)
        else { return [] }
        return [digest]
    }
}
