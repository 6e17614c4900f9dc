/// Runs `work`, and calls `onCancel` at once if the task is cancelled before `work` returns.
///
/// Unlike `withTaskCancellationHandler`, it keeps the type of the error.
package func cancellable<Value: Sendable>(
    _ work: () async throws(DownloadError) -> Value,
    onCancel: @Sendable () -> Void
) async throws(DownloadError) -> Value {
    try await withTaskCancellationHandler { () async -> Result<Value, DownloadError> in
        do throws(DownloadError) { return .success(try await work()) } catch {
            return .failure(error)
        }
    } onCancel: {
        onCancel()
    }.get()
}
