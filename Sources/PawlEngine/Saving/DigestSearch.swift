internal import Logging
internal import PawlCore
internal import PawlStorage
internal import struct FoundationEssentials.URL

/// Looks for the digest of a file while the file is downloaded: in the Metalink that its server
/// names, and in checksum files beside it.
final class DigestSearch: Sendable {
    /// The maximum size of a checksum file; those of large archives have a few megabytes.
    private static let mostBytes: Int64 = 4 << 20
    /// The time after which no further file is requested.
    private static let longest: Duration = .seconds(20)
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
    private let metalink: ServerMetalink
    private let mailbox: DriverMailbox
    private let logger: Logger
    private let isWanted = Completion<Void>()
    private let isDone = Completion<Void>()

    /// Returns `nil` if the settings ask for no such search.
    init?(_ parts: DownloadParts, for digests: FileDigester) {
        let job = parts.job
        guard job.settings.checksum == .automatic, job.settings.range == nil,
            job.settings.asksForFile
        else { return nil }
        (url, engine, seed, self.digests) = (job.url, parts.engine, job.seed, digests)
        (metalink, mailbox, logger) = (parts.metalink, parts.mailbox, parts.logger)
        settings = job.settings.forDocument(within: .seconds(10))
    }

    /// Starts the search, because no digest is known.
    func begin() { isWanted.complete(with: ()) }

    /// Searches once `begin()` was called, until the task is cancelled.
    func run() async {
        if await isWanted.wait() != nil, let digest = await find() {
            digests.note(digest)
            mailbox.post(.digestFound(digest, metalink.mirrors))
        }
        isDone.complete(with: ())
    }

    /// Starts the search if it is still needed, and waits for its end.
    func settle(_ stop: CancellationToken) async throws(DownloadError) {
        guard digests.expected == nil else { return }
        begin()
        while await isDone.wait(or: stop.wakeup) == nil {
            try stop.check()
            if Task.isCancelled { throw CancellationToken.cancelled }
        }
    }

    private func find() async -> ContentDigest? {
        if let digest = await metalink.read()?.digest { return digest }
        return await findBeside()
    }

    private func findBeside() async -> ContentDigest? {
        let address = AddressParts(url.absoluteString)
        // What a query names is not known, so nothing is beside it.
        guard address.query == nil, !address.path.isFolderPath,
            URLScheme(of: address.scheme) != .data
        else { return nil }
        let name = address.path.pathFile.percentDecoded
        let paths =
            Self.endings.map { "\(address.path).\($0)" }
            + Self.lists.map { address.path.pathFolder + $0 }
        let end = engine.time.now() + Self.longest
        for path in paths where engine.time.now() < end {
            var candidate = address
            candidate.path = path
            guard !Task.isCancelled, let url = candidate.requestURL else { return nil }
            let digest: ContentDigest?
            do throws(DownloadError) {
                digest = try await self.digest(of: name, at: url)
            } catch {
                // A server that does not answer would delay the end of the download for each name.
                if error.retryClass == .later { break }
                continue
            }
            guard let digest else { continue }
            logger.notice("the checksum is that of \(url.redacted)")
            return digest
        }
        logger.notice("there is no checksum beside the file")
        return nil
    }

    /// Returns the digest of a file that a list contains; `nil` if it contains none.
    private func digest(
        of name: String,
        at url: URL
    ) async throws(DownloadError) -> ContentDigest? {
        let stream = StreamJob(url: url, settings: settings, seed: seed)
        let body = try await StreamDriver(stream, engine: engine).collect(limit: Self.mostBytes)
        let list = AddressParts(url.absoluteString).path.pathFile.percentDecoded
        // A list may have very many lines, of which few are for this file.
        return try await engine.digests.run { () throws(DownloadError) in
            let lines = body.bytes.split(separator: UInt8(ascii: "\n"))
            let ours = lines.count == 1 ? lines : lines.filter { $0.contains(name.utf8) }
            let text = ours.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "\n")
            return ChecksumList(text, name: list).digest(of: name)
        }
    }
}

extension ArraySlice<UInt8> {
    /// Whether the bytes of a name follow one another somewhere.
    fileprivate func contains(_ name: String.UTF8View) -> Bool {
        guard let first = name.first else { return true }
        return indices.contains { self[$0] == first && self[$0...].starts(with: name) }
    }
}
