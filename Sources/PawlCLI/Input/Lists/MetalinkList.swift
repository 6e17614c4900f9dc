internal import Pawl
internal import PawlCore

/// A Metalink as a list: each file with its sources, its size and its digests.
enum MetalinkList {
    /// The bytes of all mirrors of a download; more are not accepted.
    private static let mostMirrorBytes = 30 << 10

    static func entries(
        of bytes: [UInt8],
        _ name: String,
        _ reading: InputList.Reading
    ) throws(DownloadError) -> [InputList.Entry] {
        let metalink = try Metalink(bytes, name: name, failure: .usage)
        var entries: [InputList.Entry] = []
        var names = Set(metalink.files.map(\.name))
        for file in metalink.files {
            let location = "\(name), file \(file.name.sanitized(atMost: 100))"
            var sources = file.sources(preferring: reading.countries)
            guard !sources.isEmpty else {
                throw .usage(
                    "\(location): it has no URL that Pawl can use",
                    advice: "use a Metalink with HTTP or FTP URLs"
                )
            }
            if reading.isFromServer {
                sources.removeAll { URLScheme(of: AddressParts($0.url).scheme)?.isHTTP != true }
            }
            guard let first = sources.first else {
                throw .usage(
                    "\(location): a list from a server can only name HTTP URLs",
                    advice: "download the Metalink, check it, and give its file"
                )
            }
            var entry = InputList.Entry(
                url: first.url.replacing("{", with: "%7B"),
                location: location
            )
            try entry.add("output", file.name)
            var room = mostMirrorBytes
            for source in sources.dropFirst().prefix(DownloadSettings.mostMirrors) {
                room -= source.url.utf8.count
                if room > 0, source.url != first.url { try entry.add("mirror", source.url) }
            }
            if let size = file.size { try entry.add("size", "\(size)") }
            if let digest = file.digest { try entry.add("checksum", digest.description) }
            if let pieces = file.pieces { try entry.add("pieces", pieces.description) }
            entries.append(entry)
            for signature in file.signatures {
                let ending = signature.isPGP ? ".asc" : ".sig"
                let name = file.name + ending
                // The Metalink may list the file of a signature, too, or two signatures.
                guard names.insert(name).inserted else { continue }
                var entry = try signed(signature, as: name, location)
                entry.signed = ending
                entries.append(entry)
            }
        }
        return entries
    }

    /// Returns an entry for a signature, which is kept beside its file.
    private static func signed(
        _ signature: Metalink.Signature,
        as name: String,
        _ location: String
    ) throws(DownloadError) -> InputList.Entry {
        let bytes = Array(signature.text.utf8) + [UInt8(ascii: "\n")]
        var signed = InputList.Entry(
            url: "data:application/octet-stream;base64,\(bytes.base64)",
            location: location
        )
        try signed.add("output", name)
        return signed
    }
}

extension Metalink.Signature {
    fileprivate var isPGP: Bool { mediaType == "application/pgp-signature" }
}
