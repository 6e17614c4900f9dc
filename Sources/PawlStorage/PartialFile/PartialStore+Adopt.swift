internal import Glibc
package import PawlCore
internal import SystemPackage

extension PartialStore {
    /// Takes over another tool's partial file, all of which is taken for the file's beginning.
    ///
    /// Nothing is known of its bytes except that a digest will prove them at the end. The file
    /// stays as it is, without a checkpoint, until the first claim.
    ///
    /// Returns `nil` if there is no such file, or it is not a regular file.
    package static func adopt(
        _ paths: DownloadPaths,
        source: String,
        representation: Representation,
        settings: StoreSettings = StoreSettings()
    ) throws(DownloadError) -> (store: PartialStore, recovery: Recovery)? {
        let status = try attempt(.open, paths.partial) { () throws(Errno) in
            try paths.partial.status()
        }
        guard let status, status.isRegular, let file = try openLocked(paths.partial) else {
            return nil
        }
        let size = try attempt(.open, paths.partial) { () throws(Errno) in
            try file.status().size
        }
        let have = RangeSet(ByteRange(0, size))
        var state = State(
            source: source,
            representation: representation,
            createdAt: Int64(time(nil))
        )
        state.written = have
        state.isNamed = true
        let recovery = Recovery(
            representation: representation,
            source: source,
            have: have,
            notes: [
                "resuming \(paths.partial), \(size) bytes of another tool; the checksum will "
                    + "show whether they are right"
            ],
            isForeign: true
        )
        return (PartialStore(paths, file: file, settings: settings, state: state), recovery)
    }

    /// Removes what was appended to an adopted file.
    package func cut(to size: Int64) throws(DownloadError) {
        try attempt(.truncate, paths.partial) { () throws(Errno) in
            if try file.status().size > size { try file.truncate(to: size) }
        }
    }
}
