internal import PawlCore
internal import PawlEngine
internal import PawlStorage
internal import SystemPackage

/// What downloads left in a folder and did not finish.
package enum UnfinishedFiles {
    /// The checkpoints there that can be read, each with the file that it is to become; it blocks.
    package static func checkpoints(
        in folder: String
    ) -> [(path: String, checkpoint: CheckpointDescription)] {
        // A folder that is gone has none.
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
