import PawlTesting

/// Waits for a file to appear.
enum FolderWatch {
    /// Returns also when the task is cancelled.
    static func wait(for name: String, in folder: ScratchFolder) async throws {
        try await folder.wait(for: name)
    }
}
