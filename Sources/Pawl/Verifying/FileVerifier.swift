internal import Glibc
package import PawlCore
internal import PawlStorage
internal import SystemPackage

/// Computes the digests of files, several at a time.
package final class FileVerifier: Sendable {
    private static let pieceBytes: Int64 = 256 * 1024

    private let pool: BlockingPool

    /// Creates a verifier with a thread per core, which start when they are needed.
    package init() {
        let cores = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
        pool = BlockingPool(threads: cores, name: "pawl-verify")
    }

    deinit { pool.shutDown() }

    /// Returns the digest of a file.
    ///
    /// Cancelling the task stops it.
    ///
    /// - Parameters:
    ///   - progress: Gets the number of bytes that were read so far; it must not block.
    package func digest(
        _ algorithm: DigestAlgorithm,
        of path: String,
        progress: @escaping @Sendable (Int64) -> Void
    ) async throws(DownloadError) -> ContentDigest {
        try await reading(path) { (file, path, stop) throws(DownloadError) in
            var count: Int64 = 0
            return try FileDigest.compute(algorithm, of: file, path) { () throws(DownloadError) in
                try stop.check()
                progress(count)
                count += Self.pieceBytes
            }
        }
    }

    /// Returns the pieces of a file that are wrong.
    ///
    /// Cancelling the task stops it.
    ///
    /// - Parameters:
    ///   - total: The size that the file should have; `nil` is the one that it has.
    ///   - progress: Gets the number of bytes that were read so far; it must not block.
    package func wrongPieces(
        _ pieces: PieceDigests,
        of path: String,
        total: Int64?,
        progress: @escaping @Sendable (Int64) -> Void
    ) async throws(DownloadError) -> [ByteRange] {
        try await reading(path) { (file, path, stop) throws(DownloadError) in
            let size = try attempt(.inspect, path, file.status()).size
            let total = total ?? size
            guard pieces.covers(total) else {
                throw DownloadError(
                    .checksumMismatch,
                    "\(path) has \(total) bytes, which does not fit its \(pieces.count) pieces",
                    advice: "use the Metalink of this version of the file"
                )
            }
            return try PieceCheck(pieces, total: total).wrongPieces {
                (buffer, offset) throws(DownloadError) in
                try stop.check()
                progress(offset)
                return try attempt(.inspect, path, file.read(into: buffer, at: offset))
            }
        }
    }

    /// Opens a file and reads it on a thread of the pool; cancelling the task cancels the token.
    private func reading<Result: Sendable>(
        _ path: String,
        _ read:
            @escaping @Sendable (OpenFile, FilePath, CancellationToken) throws(DownloadError) ->
            Result
    ) async throws(DownloadError) -> Result {
        let stop = CancellationToken()
        return try await cancellable { () async throws(DownloadError) in
            try await pool.run { () throws(DownloadError) in
                let path = FilePath(path)
                return try read(attempt(.inspect, path, OpenFile(path, O_RDONLY)), path, stop)
            }
        } onCancel: {
            stop.cancel()
        }
    }

    /// Returns the size of a file in bytes.
    package static func size(of path: String) throws(DownloadError) -> Int64 {
        try ExistingFile.size(FilePath(path))
    }

    /// Whether the URL of the file was stored with it on request, where other programs find it.
    package static func hasRecordedOrigin(_ path: String) -> Bool {
        TextAttribute.origin.text(of: FilePath(path)) != nil
    }

    /// Returns the URLs that were stored with the file: that from which it was downloaded, unless a
    /// part of it was secret, and those of its mirrors.
    ///
    /// Whoever owns the file can store others, as can who packs it into an archive. So there are none
    /// for a file of another user, and none that name a file of this computer.
    package static func recordedSources(of path: String) -> [String] {
        let file = FilePath(path)
        guard let status = try? file.targetStatus(),
            FileOwnership.isTrusted(status, in: file.folder)
        else { return [] }
        let origin = [TextAttribute.source, .origin].lazy.compactMap { $0.text(of: file) }
            .first { !$0.contains(QueryRedaction.mark) }
        let mirrors = (TextAttribute.mirrors.text(of: file) ?? "").split(separator: "\n")
        return ([origin].compactMap(\.self) + mirrors.map(String.init)).filter { source in
            URLScheme(of: AddressParts(source).scheme)?.isLocal == false
        }
    }

    /// Returns the digests of the pieces that were stored with the file, and the size that it had;
    /// `nil` if they were not known, or the file system had no space for them.
    package static func recordedPieces(of path: String) -> (pieces: PieceDigests, total: Int64)? {
        PieceRecord(of: FilePath(path)).map { ($0.pieces, $0.total) }
    }

    /// Returns the digest that was verified when the file was downloaded; `nil` if none was, or the
    /// file system could not store it.
    package static func recordedDigest(of path: String) -> ContentDigest? {
        guard let text = TextAttribute.digest.text(of: FilePath(path)),
            case .digest(let digest)? = try? ChecksumText.parse(text)
        else { return nil }
        return digest
    }
}
