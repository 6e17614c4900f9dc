internal import Glibc
internal import Logging
internal import PawlCore
internal import PawlStorage
internal import SystemPackage
internal import struct FoundationEssentials.Date

/// Gives the complete files of one download their names.
struct FileFinisher: TargetFinishing {
    /// The number of attempts to write a small file: after a failed sync it is written again from
    /// memory.
    private static let mostAttempts = 3

    private let job: DownloadJob
    private let engine: Engine
    private let requestedHosts: RequestedHosts
    private let stop: CancellationToken
    private let logger: Logger

    init(
        _ job: DownloadJob,
        engine: Engine,
        requestedHosts: RequestedHosts,
        stop: CancellationToken,
        logger: Logger
    ) {
        (self.job, self.engine, self.requestedHosts) = (job, engine, requestedHosts)
        (self.stop, self.logger) = (stop, logger)
    }

    /// The policy for an existing file with the same name, by the names of the download.
    private var policy: @Sendable (DownloadPaths) -> FinishPolicy {
        let (ifExists, replaced) = (job.settings.ifExists, job.replaces)
        return { paths in
            // Lower numbers were taken when this one was chosen.
            let first = paths.final == paths.wanted.numbered(paths.number) ? paths.number : 0
            let numbered: @Sendable (Int) -> FilePath = {
                paths.wanted.numbered(first + $0)
            }
            return switch ifExists {
            case .overwrite: replaced.map { .replace($0, numbered: numbered) } ?? .overwrite
            case .fail: .fail
            case .rename: .rename(numbered: numbered)
            case .skip: .keep(numbered: numbered)
            }
        }
    }

    /// Gives the file in a store its name, or finds an existing file with the same bytes.
    func finish(_ complete: CompleteTarget) async throws(DownloadError) -> FinishedTarget {
        let (store, total, verified) = (try complete.store.file(), complete.total, complete.digests)
        let policy = policy(store.paths)
        engine.takenNames.note(store, of: job.identity)
        var file = CompleteFile(store: store, total: total, policy: policy, epoch: complete.epoch)
        file.acceptsSame = job.acceptsSameFile
        file.isLengthVerified = complete.isLengthVerified
        file.notes = job.notes(on: store.representation)
        file.notes.pieces = verified.pieces
        if let whole = verified.whole, job.settings.checksum == .automatic {
            // It may be that of a document beside the file.
            file.notes.attributes[TextAttribute.digest.name] = whole.description
        }
        let job = job
        let logins = try await engine.disk.run { () throws(DownloadError) in
            job.passwordFileLogins()
        }
        job.addSources(to: &file.notes) { source in
            let url = source == 0 ? job.url : job.mirrors[source - 1].url
            return logins.mayInclude(url.host())
                || requestedHosts.mayHaveLogin(source, in: logins)
        }
        try await announce(file)
        file.readsFiles = false
        let stop = stop
        while true {
            let complete = file
            // This syncs, which may take long. Checkpoints must not wait for that.
            let named = try await engine.syncs.run { () throws(DownloadError) in
                try complete.finish()
            }
            switch named {
            case .named(let name):
                noteReplaced(name.path, wasThere: name.wasThere)
                if verified.whole == nil, job.settings.checksum == .automatic {
                    logger.report(["no checksum of the file was found"])
                }
                return FinishedTarget(name.path, size: total, wasThere: name.wasThere)
            case .undecided(let path):
                // Reading a large file takes long. The syncs of other downloads must not wait for
                // that.
                let stamp = try await engine.digests.run { () throws(DownloadError) in
                    try complete.stamp(ofSameAt: path, stop.check)
                }
                file.note(stamp, at: path)
            }
        }
    }

    /// Returns a function that writes a small file, which was received completely; it blocks.
    func preparation(
        of body: SmallBody,
        source: String,
        _ resolver: TargetResolver,
        absent: FilePath?
    ) -> SmallFileFinisher.Preparation {
        let (policy, acceptsSame) = (policy, job.acceptsSameFile)
        let (takenNames, url, logger) = (engine.takenNames, job.identity, logger)
        let notes = job.notes(on: body.representation)
        return { () throws(DownloadError) in
            let representation = body.representation
            let store: PartialStore
            let found = try resolver.open(
                body.head,
                representation,
                nil,
                source: source,
                absent: absent,
                comparison: FinishedFileSearch.Comparison(body: body.bytes)
            )
            switch found {
            case .alreadyThere(let path):
                return .alreadyThere(path, size: try ExistingFile.size(path))
            case .created(let created, let notes):
                logger.report(notes)
                store = created
            case .resumable(let found, _):
                // The whole file is in memory, and newer than the bytes that an earlier run left.
                try found.reset(
                    representation: representation,
                    source: resolver.url.redacted,
                    mark: resolver.mark
                )
                store = found
            case .nothing, .undecided, .likely:
                throw DownloadError(.unknown, "no file was created")
            }
            do throws(DownloadError) {
                try store.write(body.bytes)
            } catch {
                store.close()
                throw error
            }
            takenNames.note(store, of: url)
            var file = CompleteFile(
                store: store,
                total: Int64(body.bytes.count),
                policy: policy(store.paths),
                epoch: store.trustEpoch
            )
            file.acceptsSame = acceptsSame
            file.isLengthVerified = BodyFraming.isVerified(
                body.head.fields,
                body.head.protocolVersion
            )
            file.notes = notes
            return .file(file)
        }
    }

    /// Gives a small file its name; `prepare` opens and fills it, and blocks.
    func finish(
        _ prepare: @escaping SmallFileFinisher.Preparation
    ) async throws(DownloadError) -> SmallFileFinisher.Named {
        guard job.willFinish != nil else {
            let result = await withCheckedContinuation { continuation in
                finishUnannounced(prepare) { continuation.resume(returning: $0) }
            }
            return try result.get()
        }
        var attempt = 1
        while true {
            let outcome = try await finishAnnounced(prepare)
            if let result = result(of: outcome, attempt) { return try result.get() }
            attempt += 1
        }
    }

    /// Gives a small file its name without calling `willFinish`, and then calls `done`.
    func finishUnannounced(
        _ prepare: @escaping SmallFileFinisher.Preparation,
        attempt: Int = 1,
        done: @escaping @Sendable (Result<SmallFileFinisher.Named, DownloadError>) -> Void
    ) {
        engine.finisher.finish(prepare) { answer in
            switch answer {
            case .success(let outcome):
                if let result = result(of: outcome, attempt) { return done(result) }
                finishUnannounced(prepare, attempt: attempt + 1, done: done)
            case .failure(let error): done(.failure(error))
            }
        }
    }

    /// Returns the result of an attempt; `nil` if there is to be another one.
    private func result(
        of outcome: SmallFileFinisher.Outcome,
        _ attempt: Int
    ) -> Result<SmallFileFinisher.Named, DownloadError>? {
        switch outcome {
        case .named(let named):
            noteReplaced(named.path, wasThere: named.wasAlreadyThere)
            return .success(named)
        case .durable: return .failure(DownloadError(.unknown, "the file has no name"))
        case .syncFailed(let error):
            guard attempt < Self.mostAttempts else { return .failure(error) }
            logger.warning("\(error.message): writing the file again")
            return nil
        }
    }

    /// Warns if the file has replaced that of another download of this process.
    private func noteReplaced(_ path: FilePath, wasThere: Bool) {
        guard job.settings.ifExists == .overwrite, !wasThere,
            let note = engine.replacedFiles.note(path, of: job.url)
        else { return }
        logger.report([note])
    }

    /// Makes the file durable, announces it, and then gives it its name.
    private func finishAnnounced(
        _ prepare: @escaping SmallFileFinisher.Preparation
    ) async throws(DownloadError) -> SmallFileFinisher.Outcome {
        let finisher = engine.finisher
        let answer = try await finisher.makeDurable(prepare)
        guard case .durable(let file, let stamp) = answer else { return answer }
        do throws(DownloadError) {
            try await job.willFinish?(file.announced(stamp))
        } catch {
            try await engine.disk.run { () throws(DownloadError) in try file.discard() }
            throw error
        }
        return try await finisher.finish { .file(file) }
    }

    /// Announces the file before it gets its name, so that it can be identified after a kill in
    /// between.
    private func announce(_ file: CompleteFile) async throws(DownloadError) {
        guard let willFinish = job.willFinish else { return }
        let stamp = try await engine.syncs.run { () throws(DownloadError) in
            try file.makeDurable()
            return try file.stamp()
        }
        try await willFinish(file.announced(stamp))
    }

    /// Keeps the file of a store under a name that shows that its bytes are wrong; returns its
    /// path.
    func keepAsCorrupt(
        _ store: any TargetStore,
        total: Int64,
        _ error: DownloadError
    ) async throws(DownloadError) -> String? {
        let store = try store.file()
        if let willFinish = job.willFinish {
            let stamp = try await engine.disk.run { () throws(DownloadError) in try store.stamp() }
            try await willFinish(WrittenFile(.corrupt, at: store.paths.final.string, stamp))
        }
        // In a queue, the earlier file may be another owner's.
        let urls = job.ownerOfPartialFile == nil ? job.urls : []
        return try await engine.syncs.run { () throws(DownloadError) in
            try store.keepAsCorrupt(reason: error.message, total: total, urls: urls).string
        }
    }
}

extension DownloadJob {
    /// Returns what the finished file gets besides its bytes, as the settings demand it.
    fileprivate func notes(on representation: Representation) -> FileNotes {
        var notes = FileNotes()
        if settings.keepsServerTime {
            notes.modified =
                representation.lastModified.flatMap { HTTPDate(parsing: $0) }?
                .secondsSince1970
        }
        notes.attributes[TextAttribute.digest.name] =
            verifiedDigest(of: representation)?.description
        guard settings.recordsOrigin else { return notes }
        notes.attributes[TextAttribute.origin.name] = url.recorded
        notes.attributes["user.xdg.referrer.url"] = settings.connection.referer?.recorded
        notes.attributes["user.mime_type"] = representation.mediaType?.sanitized
        notes.attributes["user.dublincore.date"] = Date.now.formatted(.iso8601)
        return notes
    }

    /// Adds the URLs of the file if it can be repaired from them, because its digests are known, or
    /// if the settings demand it.
    ///
    /// Each is left out if it has secrets, because it leads nowhere without them, or if there is no
    /// space for it.
    ///
    /// `mayHaveLogin`: whether the file of passwords may have a login for a source, by its index.
    fileprivate func addSources(to notes: inout FileNotes, mayHaveLogin: (Int) -> Bool) {
        let isRepairable =
            notes.attributes[TextAttribute.digest.name] != nil || notes.pieces != nil
        guard settings.recordsOrigin || isRepairable && needsNoSecret && !mayHaveLogin(0) else {
            return
        }
        var room = 1000
        func fits(_ url: String) -> Bool {
            guard !url.contains(QueryRedaction.mark), url.utf8.count < room else { return false }
            room -= url.utf8.count + 1
            return true
        }
        let source = url.recorded
        // That of `recordsOrigin` is enough.
        if !settings.recordsOrigin, URLScheme(of: url.scheme)?.isLocal == false, fits(source) {
            notes.attributes[TextAttribute.source.name] = source
        }
        let open = mirrors.indices.filter { index in
            mirrors[index].credentials == nil && mirrors[index].url.user() == nil
                && !mayHaveLogin(index + 1)
        }
        let others = open.map { mirrors[$0].url.recorded }.filter(fits)
        guard !others.isEmpty else { return }
        notes.attributes[TextAttribute.mirrors.name] = others.joined(separator: "\n")
    }

    /// Whether the URL is enough to download the file, without a login, cookies, a certificate,
    /// header fields or a body.
    ///
    /// The file of passwords is not considered.
    private var needsNoSecret: Bool {
        let connection = settings.connection
        return settings.credentials == nil && settings.fields.isEmpty && settings.asksForFile
            && connection.cookieFile == nil && connection.browserProfile == nil
            && connection.clientIdentity.certificateFile == nil && url.user() == nil
    }

    /// Reads for which hosts the settings' file of passwords has logins; it blocks.
    fileprivate func passwordFileLogins() -> PasswordFileLogins {
        guard let file = settings.connection.netrcFile else { return .none }
        do throws(Errno) {
            let bytes = try OpenFile(FilePath(file), O_RDONLY | O_CLOEXEC | O_NONBLOCK)
                .contents(limit: 1 << 20)
            return PasswordFileLogins(String(decoding: bytes, as: UTF8.self))
        } catch .noSuchFileOrDirectory {
            return .none
        } catch {
            return .unknown
        }
    }

    /// The digest that the file has, because it was compared; `nil` if there was none.
    private func verifiedDigest(of representation: Representation) -> ContentDigest? {
        switch settings.checksum {
        case .digest(let digest): digest
        case .none: nil
        // That of a server is the digest of the whole file as it was sent.
        case .fromServer, .automatic:
            settings.range == nil && !settings.decodesContent ? representation.digest : nil
        }
    }
}
