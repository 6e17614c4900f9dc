internal import FoundationEssentials
internal import Pawl
internal import PawlCore

/// The record of a download's upload, in the tables of the store.
struct StoredLedger: PartLedger {
    private let store: any QueueStore
    private let download: Int64
    /// The ownership of the run, which records nothing once another node has the download.
    private let ownership: Ownership?
    /// How the service is reached, without secrets.
    private let service: SettingsDocument<DownloadSettings>

    init(
        _ store: any QueueStore,
        download: Int64,
        _ ownership: Ownership?,
        service: DownloadSettings
    ) {
        (self.store, self.download, self.ownership) = (store, download, ownership)
        self.service = SettingsDocument(service.withoutSecrets)
    }

    func recorded() throws(DownloadError) -> LedgerFinding {
        try store.write { try $0.uploads.recorded(of: download) }
    }

    func record(_ upload: RecordedUpload) throws(DownloadError) {
        try store.write { transaction in
            try transaction.ownership.require(ownership)
            try transaction.uploads.record(
                upload,
                of: download,
                service: service,
                at: transaction.now
            )
        }
    }

    func record(_ parts: [RecordedPart], of upload: String) throws(DownloadError) {
        try store.write(for: .repeatable) { transaction in
            try transaction.ownership.require(ownership)
            try transaction.uploads.record(parts, of: upload, download, at: transaction.now)
        }.value
    }

    func forget() throws(DownloadError) {
        try store.writeInAnyCase { transaction in
            try transaction.ownership.require(ownership)
            try transaction.uploads.forget(download)
        }
    }

    func finish() {
        // `RunEndRecorder` forgets the upload in the transaction that records the end.
    }
}
