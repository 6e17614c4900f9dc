import PawlTesting

/// Waits for a file to appear.
enum FolderWatch {
    /// Returns also after a while in which it did not, or when the task is cancelled.
    static func wait(for name: String, in folder: ScratchFolder) async throws {
        // A shell that looks leaves Swift's few threads to the tests that run beside.
        let script = "until [ -e \"$0\" ]; do sleep 0.01; done"
        _ = try await ProcessRunner.run(
            "sh",
            ["-c", script, folder.path(name)],
            ProcessSettings(timeLimit: .seconds(30))
        )
    }
}
