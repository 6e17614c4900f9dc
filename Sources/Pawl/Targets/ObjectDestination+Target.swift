package import PawlCore
package import PawlEngine
internal import PawlStorage
package import struct FoundationEssentials.URL

extension ObjectDestination {
    /// Returns the target of one run.
    ///
    /// `source`: the URL of the download, after which the object is named if the destination is a
    /// folder.
    ///
    /// Throws `.usage` if the settings demand what no object can have.
    package func target(
        _ settings: DownloadSettings,
        of source: URL,
        in engine: Engine
    ) throws(DownloadError) -> ByteTarget {
        guard settings.pieces == nil || settings.checksum.isGiven else {
            throw DownloadError.usage(
                "the digests of pieces cannot be verified for an object",
                advice: "give the digest of the whole file, or download to a file"
            )
        }
        try settings.checkForObject()
        let service = ObjectService(self, engine, retries: settings.retries)
        guard let address = service.address(try expectedURL(of: source)) else {
            throw DownloadError.usage("\(url.redacted) does not name an object")
        }
        let run = ObjectRun(service, at: address, of: source, checksum: settings.checksum)
        return ByteTarget(
            opening: ObjectOpening(run),
            finishing: ObjectFinishing(run),
            work: UploadWork(run)
        )
    }

    /// The URL of the object as far as it is known before the server has responded.
    private func expectedURL(of source: URL) throws(DownloadError) -> URL {
        guard isFolder else { return url }
        let name = FileName.suggested(contentDisposition: nil, url: source, mediaType: nil)
        return try ObjectAddress.parse(url.absoluteString + name.utf8.percentEncoded())
    }

    /// Aborts the upload of a download that does not run with one request, forgets it, and then calls
    /// `done`.
    ///
    /// If the upload cannot be aborted, it stays recorded as one that the next run aborts.
    func discard(in engine: Engine, _ done: @escaping @Sendable () -> Void) {
        let ledger = ledger
        let end = { @Sendable in
            ledger.release()
            done()
        }
        engine.disk.start { _ in
            // An upload whose record cannot be read cannot be aborted.
            guard let found = try? ledger.recorded() else { return end() }
            if case .nothing = found { return end() }
            guard let name = found.name, let abortion = UploadAbortion(name, template) else {
                // A record that stays names no upload.
                _ = try? ledger.forget()
                return end()
            }
            abortion.send(in: engine) { failure in
                engine.disk.start { _ in
                    if failure == nil {
                        // A record that stays names an upload that does not exist any more.
                        _ = try? ledger.forget()
                    } else if case .upload(var recorded, _) = found {
                        recorded.state = .aborting
                        // The next run aborts an upload that it cannot continue, too.
                        _ = try? ledger.record(recorded)
                    }
                    end()
                }
            }
        }
    }
}

extension LedgerFinding {
    /// The upload that is recorded, if it is known.
    fileprivate var name: UploadName? {
        switch self {
        case .nothing: nil
        case .damaged(let name): name
        case .upload(let upload, _): upload.name
        }
    }
}
