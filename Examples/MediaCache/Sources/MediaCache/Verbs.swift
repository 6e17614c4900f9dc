import Pawl
import PawlLibrary

import struct Foundation.URL

/// Gets a file from the cache, or from its URL if it is not there.
///
/// A part left by an earlier call is kept.
func get(_ key: StorageKey, _ url: URL?, _ library: DownloadLibrary) async throws {
    let isThere = library.exists(key)
    let file = try await library.file(for: key, from: url)
    print(isThere ? "from the cache:" : "fetched:", file.path, file.byteCount)
}

/// Lists finished and unfinished files.
func list(_ library: DownloadLibrary) async throws {
    for entry in library.entries {
        let text =
            switch entry.state {
            case .finished: "\(entry.file?.byteCount ?? 0) bytes, \(entry.file?.mediaType ?? "?")"
            case .changed: "changed since it was fetched"
            case .failed(let error): "failed: \(error.message)"
            default: "\(entry.receivedBytes) of \(entry.totalBytes.map { "\($0)" } ?? "?") bytes"
            }
        print("\(entry.key.text): \(text)")
    }
    print("\(try await library.size()) bytes in all")
}

/// Removes the least recently used files first.
func trim(_ library: DownloadLibrary, _ megabytes: Int64) async throws {
    let policy = CleaningPolicy(maximumTotalBytes: megabytes << 20)
    let cleaning = try await library.clean(policy)
    for key in cleaning.removed { print("removed: \(key.text)") }
    print("\(cleaning.remainingBytes) bytes are left")
}

/// Verifies the files.
///
/// Those that a disk or a person has changed are fetched again.
func verify(_ library: DownloadLibrary) async throws {
    let verification = try await library.verify()
    for fault in verification.faults {
        let file = try await library.refetch(fault.key)
        print("repaired: \(fault.key.text), \(file.byteCount) bytes")
    }
    print("\(verification.intact.count) were intact")
}
