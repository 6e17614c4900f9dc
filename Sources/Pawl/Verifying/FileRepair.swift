internal import Glibc
internal import PawlCore
internal import PawlStorage
package import struct FoundationEssentials.URL
internal import SystemPackage

/// The repair of a damaged file: only its damaged pieces are fetched again if they are known,
/// and otherwise the whole file.
///
/// The damaged file keeps its name until the new one is complete and verified.
package struct FileRepair: Sendable {
    /// What is known of the file, and where it can be fetched from.
    package struct Plan: Sendable {
        package var path: String
        package var digest: ContentDigest?
        package var pieces: PieceDigests?
        package var size: Int64?
        package var source: URL
        /// Other URLs of the file, the best first.
        package var mirrors: [URL] = []
        /// Whether the origin is stored with the repaired file for other programs, as it was with the
        /// damaged one.
        package var recordsOrigin = false

        package init(path: String, from source: URL) { (self.path, self.source) = (path, source) }
    }

    private let plan: Plan
    private let settings: DownloadSettings

    /// - Parameters:
    ///   - settings: How the source is reached. What would not fetch a whole file as it is stored
    ///     has no effect.
    package init(_ plan: Plan, settings: DownloadSettings = DownloadSettings()) {
        self.plan = plan
        var settings = settings
        (settings.method, settings.body, settings.range) = (nil, [], nil)
        (settings.decodesContent, settings.resumes) = (false, true)
        settings.checksum = plan.digest.map { .digest($0) } ?? .fromServer
        settings.expectedSize = plan.size
        settings.pieces = plan.pieces
        settings.mirrors = Array(plan.mirrors.prefix(DownloadSettings.mostMirrors))
        settings.ifExists = .overwrite
        settings.recordsOrigin = plan.recordsOrigin
        self.settings = settings
    }

    /// Repairs the file; if its path is a symbolic link, the file that the link leads to, unless
    /// another user has made the link.
    ///
    /// - Parameters:
    ///   - onStart: Receives the download when it begins.
    package func run(
        in session: DownloadSession,
        onStart: (DownloadTask) -> Void = { _ in }
    ) async throws(DownloadError) {
        guard let path = Self.resolved(plan.path) else {
            throw DownloadError(.fileUnreadable, "\(plan.path.sanitized) cannot be found")
        }
        let given = FilePath(plan.path)
        if let status = try? given.status(), status.isSymbolicLink,
            !FileOwnership.isTrusted(status, in: given.folder)
        {
            throw DownloadError(
                .notAllowed,
                "\(plan.path.sanitized) is a symbolic link of another user",
                advice: "check where it leads, and repair that file"
            )
        }
        var settings = settings
        if plan.pieces != nil, plan.digest != nil {
            settings.adoptsPartialFile = try await copy(path)
        }
        let damaged = (try? FilePath(path).status()).map { FileStamp($0) }
        // Otherwise the damaged file would count as a finished download of the URL.
        RepresentationMark.remove(from: FilePath(path))
        let request = DownloadRequest(plan.source) { [settings] in $0 = settings }
        // A file that somebody puts in its place meanwhile is kept.
        let task = session.downloadTask(request, to: .file(path), replacing: damaged)
        onStart(task)
        let file = try await session.finish(task)
        guard file.path == path else {
            throw DownloadError(
                .conflict,
                "\(path.sanitized) was changed while it was repaired, and is kept",
                advice: "the repaired file is \(file.path.sanitized)"
            )
        }
    }

    private static func resolved(_ path: String) -> String? {
        guard let text = realpath(path, nil) else { return nil }
        defer { free(text) }
        return String(validatingCString: text)
    }

    /// Copies the file to the name of its partial file, which the download adopts.
    ///
    /// Returns `false` if there is the partial file of an earlier repair, or of another download,
    /// which has a checkpoint.
    private func copy(_ path: String) async throws(DownloadError) -> Bool {
        let (source, target) = (FilePath(path), FilePath(path + ".part"))
        let checkpoint = FilePath(path + ".part.pawl")
        let pool = BlockingPool(threads: 1, name: "pawl-repair")
        defer { pool.shutDown() }
        let (stop, size) = (CancellationToken(), plan.size)
        return try await cancellable { () async throws(DownloadError) in
            try await pool.run { () throws(DownloadError) in
                if try ExistingFile.isThere(checkpoint) { return false }
                guard try !ExistingFile.isThere(target) else {
                    throw DownloadError(
                        .fileExists,
                        "\(target) already exists, and was not created by a repair",
                        advice: "rename or remove it"
                    )
                }
                try RepairCopy.make(of: source, at: target, size: size, onPiece: stop.check)
                return true
            }
        } onCancel: {
            stop.cancel()
        }
    }
}
