package import PawlCore
package import PawlWire

extension QueueStore {
    /// Returns who has written a partial file, for a download of `owner`; it blocks.
    package func ownerOfPartialFile(
        _ found: FoundPartialFile,
        for download: Int64,
        of owner: DownloadOwner
    ) -> PartialFileOwner {
        // The rules know what applies if the queue cannot be read.
        let records = try? readBlocking { transaction in
            let table = transaction.writtenFiles
            return PartialFileRules.Records(
                writers: try table.writers(ofPartialFile: found.stamp),
                own: try table.files(of: download).filter { $0.kind == .partial }
            )
        }
        return PartialFileRules(for: download, of: owner).owner(of: found, records)
    }
}
