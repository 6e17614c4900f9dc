internal import Glibc
package import PawlCore
internal import PawlEngine
internal import PawlStorage
internal import SystemPackage

/// What downloads left that run no more.
extension DownloadSession {
    /// Throws away the partial file of a download that was to become that file, and its checkpoint,
    /// unless another process has them.
    package func discardLeftover(of path: String) async {
        let engine = engine
        // Only a pool that was shut down refuses, and then nobody waits for it.
        try? await engine.disk.run { Leftover.discard(DownloadPaths(FilePath(path)), engine) }
    }

    /// With what a download that is to become that file could be gone on; nil where that is nothing.
    package func resumeData(ofFile path: String, _ request: DownloadRequest) async -> ResumeData? {
        let settings = request.settings(in: configuration)
        // Only a pool that was shut down refuses.
        return try? await engine.disk.run {
            ResumeData(ofFile: FilePath(path), request.url, settings)
        }
    }

    /// Removes a finished file; one that is gone already is no error.
    package func removeFile(at path: String) async throws(DownloadError) {
        try await engine.disk.run { () throws(DownloadError) in
            guard unlink(path) != 0, errno != ENOENT else { return }
            throw DownloadError(
                .diskFailure,
                "\(path) cannot be removed: \(String(cString: strerror(errno)))",
                advice: "look at the rights of its folder"
            )
        }
    }
}

extension DownloadTask {
    /// The file that it becomes, once that is known.
    package var targetPath: String? { monitor.paths?.final.string }

    /// Waits until the task has ended, also where the one that waits was cancelled.
    package func waitForEndInAnyCase() async { await end.waitInAnyCase() }
}
