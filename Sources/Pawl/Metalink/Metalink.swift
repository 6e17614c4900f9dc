package import PawlCore

/// The files that a Metalink document describes (RFC 5854, or version 3.0 of the format).
///
/// The document may come from anyone: its names lead out of no folder, and its URLs are those of
/// servers.
package struct Metalink: Sendable {
    package struct File: Sendable {
        /// The name, which may begin with folders.
        package var name: String
        package var size: Int64?
        /// The strongest digest of the whole file.
        package var digest: ContentDigest?
        /// The strongest digests of the pieces.
        package var pieces: PieceDigests?
        package var sources: [FileSource] = []
        package var signatures: [Signature] = []
    }

    package struct FileSource: Hashable, Sendable {
        package var url: String
        /// 1 is the best; without a priority it is `lowestPriority`.
        package var priority: Int
        /// The country, as two letters of ISO 3166 in lower case.
        package var country: String?
    }

    /// A signature of the file, such as that of OpenPGP.
    package struct Signature: Hashable, Sendable {
        package var mediaType: String
        package var text: String
    }

    /// The priority of a source that states none (RFC 5854 §4.2.16.2).
    package static let lowestPriority = 1_000_000

    package private(set) var files: [File] = []

    /// Reads a document.
    ///
    /// - Parameters:
    ///   - name: The name of the document, for errors.
    ///   - code: The code of the error that is thrown if the document cannot be used.
    package init(
        _ bytes: some Collection<UInt8>,
        name: String,
        failure code: ErrorCode
    ) throws(DownloadError) {
        let reader = XMLReader(name, failure: code)
        var parser = MetalinkParser(name: name, code: code)
        try reader.read(bytes) { (event) throws(DownloadError) in try parser.take(event) }
        try reader.finish { (event) throws(DownloadError) in try parser.take(event) }
        files = try parser.finish()
    }

    /// Reads the description of one file from a document that comes from a server.
    ///
    /// - Parameters:
    ///   - name: The name of the document, for errors.
    ///   - file: The name of the file.
    static func description(
        _ bytes: [UInt8],
        name: String,
        of file: String
    ) throws(DownloadError) -> FileDescription {
        let document = try Metalink(bytes, name: name, failure: .badResponse)
        guard let found = document.file(named: file) else {
            throw DownloadError(
                .badResponse,
                "\(name) does not describe \(file.sanitized(atMost: 100))"
            )
        }
        return found.description
    }

    /// Returns the file at a path: the one with its name, or the only one.
    package func file(named path: String) -> File? {
        files.first { $0.name == path }
            ?? files.first { $0.name.pathFile == path.pathFile }
            ?? (files.count == 1 ? files.first : nil)
    }

    /// Whether the bytes begin like XML in UTF-8 or UTF-16, so that they are a Metalink or no list
    /// that Pawl reads.
    package static func mayBe(_ bytes: some Collection<UInt8>) -> Bool {
        bytes.first { !bytesBeforeMarkup.contains($0) } == UInt8(ascii: "<")
    }

    /// White space, the bytes of byte order marks, and the 0 beside each letter in UTF-16.
    private static let bytesBeforeMarkup: Set<UInt8> = [
        0x00, 0x09, 0x0A, 0x0D, 0x20, 0xBB, 0xBF, 0xEF, 0xFE, 0xFF,
    ]
}

extension Metalink.File {
    fileprivate var description: FileDescription {
        var description = FileDescription()
        (description.size, description.digest, description.pieces) = (size, digest, pieces)
        description.sources = sources(preferring: []).map(\.url)
        return description
    }

    /// Returns the sources in the order in which they should be tried.
    ///
    /// - Parameter countries: The preferred countries, the best first, in lower case.
    package func sources(preferring countries: [String]) -> [Metalink.FileSource] {
        let ranked = sources.enumerated().map { index, source in
            let position = source.country.flatMap { countries.firstIndex(of: $0) }
            return (rank: (position ?? countries.count, source.priority, index), source: source)
        }
        return ranked.sorted { $0.rank < $1.rank }.map(\.source)
    }
}
