import Pawl
import PawlCore
import PawlTesting

/// A ledger that tells how many parts it has recorded.
struct ObservedLedger: PartLedger {
    let ledger: any PartLedger
    let parts = Observed(0)

    func recorded() throws(DownloadError) -> LedgerFinding { try ledger.recorded() }

    func record(_ upload: RecordedUpload) throws(DownloadError) { try ledger.record(upload) }

    func record(_ parts: [RecordedPart], of upload: String) throws(DownloadError) {
        try ledger.record(parts, of: upload)
        self.parts.update { $0 += parts.count }
    }

    func forget() throws(DownloadError) { try ledger.forget() }

    func finish() throws(DownloadError) { try ledger.finish() }
}
