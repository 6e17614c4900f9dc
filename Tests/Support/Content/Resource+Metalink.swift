import PawlCore

extension Resource {
    /// A Metalink of the file.
    ///
    /// - Parameters:
    ///   - urls: Its URLs, the best first.
    ///   - pieceLength: The length of the pieces, whose SHA-1 it contains; with `nil`, none.
    ///   - digest: Whether it contains the SHA-256 of the file.
    package func metalink(
        name: String = "disk.iso",
        urls: [String],
        pieceLength: Int64? = nil,
        digest hasDigest: Bool = true
    ) -> String {
        var lines = ["<size>\(size)</size>"]
        if hasDigest, let whole = digest(.sha256) {
            lines.append("<hash type=\"sha-256\">\(whole.hexadecimal)</hash>")
        }
        if let pieceLength, let pieces = pieceDigests(length: pieceLength) {
            let hashes = (0..<pieces.count).compactMap { pieces.digest(of: $0) }.map {
                "<hash>\($0.hexadecimal)</hash>"
            }
            lines.append("<pieces length=\"\(pieceLength)\" type=\"sha-1\">")
            lines += hashes + ["</pieces>"]
        }
        for (index, url) in urls.enumerated() {
            lines.append("<url priority=\"\(index + 1)\">\(url)</url>")
        }
        return "<metalink xmlns=\"urn:ietf:params:xml:ns:metalink\"><file name=\"\(name)\">"
            + lines.joined(separator: "\n") + "</file></metalink>"
    }
}
