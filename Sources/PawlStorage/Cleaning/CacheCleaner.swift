internal import CPlatform
internal import Glibc
package import PawlCore
package import SystemPackage

/// Removes files of a cache by age, total size and free space on the disk.
///
/// A locked file is in use and is kept. A partial file and its checkpoint are removed together or
/// not at all. Links are not followed, and folders are kept.
package struct CacheCleaner: Sendable {
    private let folder: FilePath
    private let documents: FilePath?

    /// Creates a cleaner.
    ///
    /// `documents` is a folder that is never changed, wherever it is.
    package init(_ folder: FilePath, documents: FilePath?) {
        self.folder = folder
        self.documents = documents
    }

    /// Creates a cleaner of a place, or of a folder in it.
    ///
    /// Throws `.usage` for a place whose files cannot be fetched again.
    package init(
        _ place: Place,
        folder: FilePath? = nil,
        for application: StorageKey
    ) throws(DownloadError) {
        guard place.isCleanable else {
            throw .usage(
                "the place '\(place)' is never cleaned",
                advice: "clean the caches, or remove individual files"
            )
        }
        let path: FilePath
        if let folder { path = folder } else { path = try place.path(for: application) }
        // A system without documents has none to protect.
        let documents = try? SystemPlaces.current().path(of: .documents, for: application)
        self.init(path, documents: documents?.removingLastComponent())
    }

    /// Removes files according to the policy; does nothing if the folder is missing.
    ///
    /// `now` is in nanoseconds since 1970. `freeBytes` is for tests; otherwise the disk is asked.
    package func clean(
        _ policy: CleaningPolicy,
        now: Int64 = CacheCleaner.currentTime,
        freeBytes: Int64? = nil
    ) throws(DownloadError) -> CleaningResult {
        let protected = try protectedFolder()
        var groups = try attempt(.inspect, folder) { () throws(Errno) in
            try CachedGroup.all(below: folder, skipping: protected)
        }
        // This is only for the decision: taking the locks could block a download that begins.
        let locked = LockTable.lockedInodes
        let candidates = groups.enumerated().map { $1.candidate(index: $0, locked: locked) }
        let plan = CleaningPlan(
            candidates,
            policy: policy,
            now: now,
            freeBytes: freeBytes ?? policy.minimumFreeBytes.flatMap { _ in free }
        )
        var result = CleaningResult()
        for index in plan.doomed { groups[index].remove(&result) }
        for file in groups.flatMap(\.files) {
            result.remainingFiles += 1
            result.remainingBytes += file.status.size
        }
        return result
    }

    /// Throws if the whole folder is inside the documents folder.
    package func check() throws(DownloadError) { _ = try protectedFolder() }

    package static var currentTime: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// The free space; `nil` if the system does not report it.
    private var free: Int64? { Self.freeBytes(in: folder) }

    /// Returns the free space on the disk of a folder; `nil` if the system does not report it.
    package static func freeBytes(in folder: FilePath) -> Int64? {
        FileSystemSpace(of: folder)?.freeBytes
    }

    /// Returns the protected folder.
    ///
    /// Throws if the whole cache folder is inside the documents folder.
    private func protectedFolder() throws(DownloadError) -> FileStatus.Identity? {
        guard let documents else { return nil }
        let protected = try attempt(.inspect, documents, documents.targetStatus()?.identity)
        guard let protected, let real = RealPath.of(folder) else { return nil }
        for ancestor in RealPath.ancestors(of: real) {
            let status = try attempt(.inspect, ancestor, ancestor.targetStatus())
            guard status?.identity == protected else { continue }
            throw DownloadError(
                .usage,
                "\(folder) is in the documents folder, which is never cleaned",
                advice: "clean the caches folder, or remove individual files",
                context: "cleaning \(folder)"
            )
        }
        return protected
    }
}

/// Resolves symbolic links in paths.
enum RealPath {
    /// Returns the resolved path; `nil` if nothing exists there.
    static func of(_ path: FilePath) -> FilePath? {
        path.withPlatformString { text in
            guard let real = realpath(text, nil) else { return nil }
            defer { free(real) }
            return FilePath(platformString: real)
        }
    }

    /// Returns the path itself and all folders above it.
    static func ancestors(of path: FilePath) -> [FilePath] {
        var all = [path]
        var ancestor = path
        while !ancestor.components.isEmpty {
            ancestor = ancestor.removingLastComponent()
            all.append(ancestor)
        }
        return all
    }
}
