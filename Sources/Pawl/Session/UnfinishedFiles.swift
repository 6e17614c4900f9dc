internal import PawlCore
internal import PawlEngine
internal import PawlStorage
internal import SystemPackage

/// The files that downloads left unfinished in a folder.
package enum UnfinishedFiles {
    /// Returns the readable checkpoints, each with its finished file.
    ///
    /// It blocks.
    package static func checkpoints(
        in folder: String
    ) -> [(path: String, checkpoint: CheckpointDescription)] {
        // A missing folder has none.
        let entries = (try? FolderListing.entries(of: FilePath(folder))) ?? []
        return entries.sorted { $0.string < $1.string }.compactMap { entry in
            guard entry.string.hasSuffix(".part.pawl"),
                let paths = DownloadPaths(partialOrCheckpoint: entry),
                let checkpoint = try? CheckpointDescription(partialFile: entry.string)
            else { return nil }
            return (paths.final.string, checkpoint)
        }
    }
}
