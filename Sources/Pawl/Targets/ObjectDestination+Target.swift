internal import PawlCore
internal import PawlEngine
internal import PawlStorage
internal import struct FoundationEssentials.URL

extension ObjectDestination {
    /// Returns the target of one run.
    ///
    /// Throws `.usage` if the settings demand what no object can have.
    func target(
        _ settings: DownloadSettings,
        in engine: Engine
    ) throws(DownloadError) -> ByteTarget {
        let isVerified = settings.checksum.isGiven
        guard settings.pieces == nil || isVerified else {
            throw DownloadError.usage(
                "the digests of pieces cannot be verified for an object",
                advice: "give the digest of the whole file, or download to a file"
            )
        }
        let service = ObjectService(self, engine, retries: settings.retries)
        guard let address = service.address(url) else {
            throw DownloadError.usage("\(url.redacted) does not name an object")
        }
        let run = ObjectRun(service, at: address, isVerified: isVerified)
        return ByteTarget(
            opening: ObjectOpening(run),
            finishing: ObjectFinishing(run),
            work: UploadWork(run)
        )
    }

    /// The number of times that a request to abort is repeated.
    private static let abortRetries = 3

    /// Aborts the upload of a download that does not run, and forgets it.
    ///
    /// If the upload cannot be aborted, it stays recorded, and this throws.
    func discard(in engine: Engine) async throws(DownloadError) {
        let ledger = ledger
        let found = try await engine.disk.run { () throws(DownloadError) in
            try ledger.recorded()
        }
        let name: UploadName? =
            switch found {
            case .nothing, .damaged(nil): nil
            case .damaged(let name): name
            case .upload(let upload, _): upload.name
            }
        let service = ObjectService(self, engine, retries: Self.abortRetries)
        if let name, let url = URL(string: name.address), let address = service.address(url) {
            do throws(ObjectFailure) {
                try await service.abort(MultipartUpload(name.id, of: address.target))
            } catch {
                throw error.error("aborting the upload", of: address)
            }
        }
        try await engine.disk.run { () throws(DownloadError) in try ledger.forget() }
    }
}

extension DownloadSession {
    /// Aborts the unfinished upload of a download to an object, and forgets it.
    ///
    /// The download must not run. If the upload cannot be aborted, it stays recorded, and this
    /// throws.
    package func discard(_ object: ObjectDestination) async throws(DownloadError) {
        try await object.discard(in: engine)
    }
}
