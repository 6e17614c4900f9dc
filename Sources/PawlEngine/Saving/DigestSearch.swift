internal import Logging
internal import PawlCore
internal import struct FoundationEssentials.URL

/// Looks for the digest of a file in a checksum file beside it, while the file is downloaded.
final class DigestSearch: Sendable {
    /// The maximum size of a checksum file; those of large archives have a few megabytes.
    private static let mostBytes: Int64 = 16 << 20
    /// What is added to the name of a file, the best first.
    private static let endings = ["sha256", "sha512", "sha1", "md5"]
    /// The names of lists for a whole folder, the best first.
    private static let lists = [
        "SHA256SUMS", "SHA512SUMS", "sha256sum.txt", "SHA256SUMS.txt", "CHECKSUMS", "MD5SUMS",
    ]

    private let url: URL
    private let engine: Engine
    private let settings: DownloadSettings
    private let seed: UInt64
    private let digests: FileDigester
    private let logger: Logger
    private let isWanted = Completion<Void>()
    private let isDone = Completion<Void>()

    /// Returns `nil` if the settings ask for no such search, or the URL has no neighbours: what a
    /// query names is not known.
    init?(_ parts: DownloadParts, for digests: FileDigester) {
        let job = parts.job
        let address = AddressParts(job.url.absoluteString)
        guard job.settings.checksum == .automatic, job.settings.range == nil,
            job.settings.asksForFile, address.query == nil, !address.path.isFolderPath,
            SourceScheme(of: address.scheme) != .data
        else { return nil }
        (url, engine, seed, self.digests) = (job.url, parts.engine, job.seed, digests)
        logger = parts.logger
        var settings = job.settings
        settings.retries = min(settings.retries, 2)
        settings.maximumDuration = .seconds(20)
        self.settings = settings
    }

    /// Starts the search, because no digest is known.
    func begin() { isWanted.complete(with: ()) }

    /// Searches once `begin()` was called, until the task is cancelled.
    func run() async {
        if await isWanted.wait() != nil, let digest = await find() { digests.note(digest) }
        isDone.complete(with: ())
    }

    /// Starts the search if it is still needed, and waits for its end.
    func settle() async {
        guard digests.expected == nil else { return }
        begin()
        await isDone.wait()
    }

    private func find() async -> ContentDigest? {
        let address = AddressParts(url.absoluteString)
        let name = address.path.pathFile.percentDecoded
        let paths =
            Self.endings.map { "\(address.path).\($0)" }
            + Self.lists.map { address.path.pathFolder + $0 }
        for path in paths {
            var place = address
            place.path = path
            guard !Task.isCancelled, let url = place.requestURL else { return nil }
            let text: String
            do throws(DownloadError) {
                text = try await self.text(at: url)
            } catch {
                // A server that does not answer would delay the end of the download for each name.
                if error.retryClass == .later { break }
                continue
            }
            let list = ChecksumList(text, name: path.pathFile.percentDecoded)
            guard let digest = list.digest(of: name) else { continue }
            logger.notice("the checksum is that of \(url.redacted)")
            return digest
        }
        logger.notice("there is no checksum beside the file")
        return nil
    }

    private func text(at url: URL) async throws(DownloadError) -> String {
        let order = StreamOrder(url: url, settings: settings, seed: seed)
        let body = try await StreamDriver(order, engine: engine).collect(limit: Self.mostBytes)
        // The names and digests of a list are ASCII in most cases; other bytes match no name.
        return String(decoding: body.bytes, as: UTF8.self)
    }
}
