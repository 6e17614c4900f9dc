internal import PawlCore
internal import SystemPackage

extension PartialStore {
    private static let highestNumber = 9999

    /// Moves out of the way what cannot be used, and deletes none of it.
    ///
    /// The caller has the locks.
    static func setAside(
        _ paths: DownloadPaths,
        _ flaw: CheckpointFlaw,
        hasPartial: Bool
    ) throws(DownloadError) -> RecoveredStore {
        let fault = "the checkpoint \(paths.checkpoint) \(flaw.sentence)"
        if !hasPartial, case .torn = flaw {
            // A damaged checkpoint of no file is worth nothing to anybody.
            try attempt(.remove, paths.checkpoint) { () throws(Errno) in
                try paths.checkpoint.removeFile()
            }
            return .nothing(notes: ["\(fault); it had no partial file and was removed"])
        }
        for number in 1...highestNumber {
            let place = paths.setAside(number)
            let isDone = try attempt(.rename, place.partial) { () throws(Errno) in
                guard try place.partial.status() == nil, try place.checkpoint.status() == nil else {
                    return false
                }
                do throws(Errno) {
                    if hasPartial { try Renaming.withoutReplacing(paths.partial, place.partial) }
                } catch .fileExists {
                    return false
                }
                try Renaming.withoutReplacing(paths.checkpoint, place.checkpoint)
                return true
            }
            guard isDone else { continue }
            let kept = hasPartial ? place.partial : place.checkpoint
            return .nothing(notes: ["\(fault); what was there is kept as \(kept)"])
        }
        throw DownloadError(
            .fileExists,
            "\(paths.partial).1 to .\(highestNumber) are all there",
            advice: "remove those that are no longer needed",
            context: fault
        )
    }
}
