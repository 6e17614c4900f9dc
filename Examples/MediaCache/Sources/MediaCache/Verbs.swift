import Pawl

import struct Foundation.URL

/// From the cache where it is there, else from its URL; a part of it that an earlier call left is kept.
func get(_ key: StorageKey, _ url: URL?, _ library: DownloadLibrary) async throws {
    let isThere = library.exists(key)
    let file = try await library.file(for: key, from: url)
    print(isThere ? "from the cache:" : "fetched:", file.path, file.byteCount)
}

/// What is there, and what was begun.
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

/// The least recently used go first.
func trim(_ library: DownloadLibrary, _ megabytes: Int64) async throws {
    let policy = CleaningPolicy(maximumTotalBytes: megabytes << 20)
    let cleaning = try await library.clean(policy)
    for key in cleaning.removed { print("removed: \(key.text)") }
    print("\(cleaning.remainingBytes) bytes are left")
}

/// What a disk or a person has changed is fetched again.
func verify(_ library: DownloadLibrary) async throws {
    let verification = try await library.verify()
    for fault in verification.faults {
        let file = try await library.refetch(fault.key)
        print("repaired: \(fault.key.text), \(file.byteCount) bytes")
    }
    print("\(verification.intact.count) were intact")
}
