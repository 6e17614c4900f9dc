internal import PawlCore

extension DownloadError {
    /// A stop after which bytes are kept.
    static func interrupted(
        keeping kept: RangeSet,
        in store: any TargetStore,
        _ canResume: Bool
    ) -> DownloadError {
        DownloadError(
            .interrupted,
            "stopped: \(kept.count) bytes are kept in \(store.place)",
            advice: canResume ? resumeAdvice : startOverAdvice
        )
    }

    /// Returns the error with the advice that is right for the next run.
    ///
    /// - Parameters:
    ///   - resumes: Whether the next run can resume if bytes are kept.
    ///   - keeps: Whether bytes are kept, unless the download was interrupted.
    func advising(resumes: Bool, keeps: Bool) -> DownloadError {
        guard resumes else { return withoutResumeAdvice }
        return keeps && code != .interrupted ? self : withNothingToResume
    }

    /// Returns the error of a full disk with the number of bytes that are kept nevertheless.
    func keeping(_ kept: KeptBytes?) -> DownloadError {
        var error = self
        let count = kept?.count ?? 0
        error.guidance +=
            count > 0
            ? "; the \(count) bytes received so far are kept"
            : "; none of the received bytes are kept"
        return error
    }
}
