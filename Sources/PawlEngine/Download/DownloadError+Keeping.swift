internal import PawlCore
internal import PawlStorage

extension DownloadError {
    /// A stop after which bytes are kept.
    static func interrupted(
        keeping kept: RangeSet,
        in store: PartialStore,
        _ canResume: Bool
    ) -> DownloadError {
        DownloadError(
            .interrupted,
            "stopped: \(kept.count) bytes are kept in \(store.paths.partial)",
            advice: canResume ? resumeAdvice : startOverAdvice
        )
    }

    /// Returns the error of a full disk with the number of bytes that are kept nevertheless.
    func keeping(_ checkpoint: Checkpoint?) -> DownloadError {
        var error = self
        let count = checkpoint.map { max($0.written.count, $0.durable.count) } ?? 0
        error.guidance +=
            count > 0
            ? "; the \(count) bytes received so far are kept"
            : "; none of the received bytes are kept"
        return error
    }
}
