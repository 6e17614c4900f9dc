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

        package init(path: String, from source: URL) { (self.path, self.source) = (path, source) }
    }

    private let plan: Plan
    private let settings: DownloadSettings

    /// `settings`: those of the download, except for what the plan contains.
    package init(_ plan: Plan, _ settings: DownloadSettings = DownloadSettings()) {
        self.plan = plan
        var settings = settings
        settings.checksum = plan.digest.map { .digest($0) } ?? .fromServer
        settings.expectedSize = plan.size
        settings.pieces = plan.pieces
        settings.mirrors = Array(plan.mirrors.prefix(DownloadSettings.mostMirrors))
        settings.ifExists = .overwrite
        self.settings = settings
    }

    /// Repairs the file.
    package func run(in session: DownloadSession) async throws(DownloadError) {
        var settings = settings
        if plan.pieces != nil, plan.digest != nil {
            try await copy()
            settings.adoptsPartialFile = true
        }
        // Otherwise the damaged file would count as a finished download of the URL.
        RepresentationMark.remove(from: FilePath(plan.path))
        let request = DownloadRequest(plan.source) { [settings] in $0 = settings }
        _ = try await session.download(request, to: .file(plan.path))
    }

    /// Copies the file to the name of its partial file, which the download continues; that of an
    /// earlier repair stays.
    private func copy() async throws(DownloadError) {
        let (source, target) = (FilePath(plan.path), FilePath(plan.path + ".part"))
        let pool = BlockingPool(threads: 1, name: "pawl-repair")
        defer { pool.shutDown() }
        let (stop, size) = (CancellationToken(), plan.size)
        try await cancellable { () async throws(DownloadError) in
            try await pool.run { () throws(DownloadError) in
                guard try !ExistingFile.isThere(target) else { return }
                try RepairCopy.make(of: source, at: target, size: size, onPiece: stop.check)
            }
        } onCancel: {
            stop.cancel()
        }
    }
}
