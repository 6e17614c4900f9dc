internal import Pawl
public import PawlCore
internal import PawlEngine
internal import PawlStorage

/// The result of a verification.
public struct LibraryVerification: Sendable, Hashable {
    /// The keys whose files are as they were fetched.
    public fileprivate(set) var intact: [StorageKey] = []
    /// The faults, sorted by key.
    public fileprivate(set) var faults: [LibraryFault] = []
    /// The keys whose files had no digest.
    ///
    /// They have one from now on.
    public fileprivate(set) var newlyDigested: [StorageKey] = []
    /// The given keys without a finished file, sorted.
    ///
    /// They were never fetched, or their files and therefore their entries were removed.
    public fileprivate(set) var absent: [StorageKey] = []
}

/// One verification of a library's finished files.
struct LibraryVerifier: Sendable {
    /// The number of attempts for a file that is constantly written to.
    ///
    /// After that, it is left to the next verification.
    private static let mostAttempts = 4

    private let context: LibraryContext
    private let reads: Bool
    private let stop: CancellationToken

    /// Creates a verification, which reads all bytes if `reads` is true, and ends early with
    /// `stop`.
    init(_ context: LibraryContext, reads: Bool, _ stop: CancellationToken) {
        self.context = context
        self.reads = reads
        self.stop = stop
    }

    /// Verifies the files of these keys; `nil` for all keys.
    func run(_ keys: [StorageKey]?) async throws(DownloadError) -> LibraryVerification {
        var verification = LibraryVerification()
        verification.absent = Set(keys ?? []).filter { context.index.entry($0)?.file == nil }
            .sorted { $0.text < $1.text }
        for key in context.index.known(keys).keys.sorted(by: { $0.text < $1.text }) {
            for _ in 0..<Self.mostAttempts {
                guard let file = settled(key) else { break }
                let result = try await check(file)
                if try await note(result, of: file, &verification) { break }
            }
        }
        return verification
    }

    /// Returns the key's file as it is now, if nobody is about to replace it.
    private func settled(_ key: StorageKey) -> KnownFile? {
        context.index.entry(key).flatMap { $0.download?.run == nil ? $0.file : nil }
    }

    private func check(_ file: KnownFile) async throws(DownloadError) -> LibraryCheck.Result {
        let (folder, reads, stop) = (context.folder, reads, stop)
        return try await context.session.engine.digests.run { () throws(DownloadError) in
            try LibraryCheck(file, in: folder).run(reads: reads, onPiece: stop.check)
        }
    }

    /// Records the result.
    ///
    /// Returns `false` if the file, or what is known of it, has changed meanwhile.
    private func note(
        _ result: LibraryCheck.Result,
        of file: KnownFile,
        _ verification: inout LibraryVerification
    ) async throws(DownloadError) -> Bool {
        let (context, files, key) = (context, context.files, file.record.key)
        switch result {
        case .unsettled:
            try await refresh(key)
            return false
        case .intact:
            guard settled(key) == file else { return false }
            verification.intact.append(key)
        case .missing:
            // The file may have another name now.
            try await refresh(key)
            guard context.index.entry(key)?.file == nil else { return false }
            found(.missing, file, &verification)
        case .renewed(let renewed):
            guard settled(key) == file,
                try await context.disk.run({ () throws(DownloadError) in try files.renew(renewed) })
            else { return false }
            context.index.handle(.renewed(renewed, before: file), changing: key)
            guard settled(key) == renewed else { return false }
            if file.record.digest == nil { verification.newlyDigested.append(key) }
            verification.intact.append(key)
        case .fault(let kind, let stamp):
            guard settled(key) == file else { return false }
            var damaged = file
            damaged.stamp = stamp
            damaged.isChanged = true
            if case .damaged = kind {
                let damaged = damaged
                guard
                    try await context.disk.run({ () throws(DownloadError) in
                        try files.noteDamage(damaged)
                    })
                else { return false }
            }
            context.index.handle(.renewed(damaged, before: file), changing: key)
            found(kind, file, &verification)
        }
        return true
    }

    private func refresh(_ key: StorageKey) async throws(DownloadError) {
        let context = context
        try await context.disk.run { () throws(DownloadError) in
            try context.follower.refresh(key)
        }
    }

    private func found(
        _ kind: LibraryFault.Kind,
        _ file: KnownFile,
        _ verification: inout LibraryVerification
    ) {
        let fault = LibraryFault(key: file.record.key, name: file.name.text, kind: kind)
        verification.faults.append(fault)
        context.events.post(.damageFound(fault))
    }
}
