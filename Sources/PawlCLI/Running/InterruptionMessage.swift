package import PawlCore

/// The message after Ctrl-C: how many bytes are kept, and how to resume.
package enum InterruptionMessage {
    package static func make(
        _ ended: [EndedDownload],
        of downloads: [RequestedDownload]
    ) -> DownloadError {
        guard !downloads.contains(where: \.isForStandardOutput) else {
            return DownloadError(
                .interrupted,
                "interrupted; what was written to standard output is incomplete",
                advice: "\(.runAgain)"
            )
        }
        let finished = ended.count { download in
            if case .success = download.result { true } else { false }
        }
        let unfinished = downloads.count - finished
        let kept = ended.reduce(Int64(0)) { sum, download in
            guard case .failure = download.result else { return sum }
            return sum.saturatingAdd(download.keptBytes)
        }
        var message = "interrupted; "
        switch (unfinished, ended.first(where: { $0.isFailure })?.name) {
        case (1, .some(let name)):
            message +=
                kept > 0 ? "\(ByteText.size(kept)) of \(name) is kept" : "\(name) had not started"
        default:
            message += "\(unfinished) downloads are not complete"
            if kept > 0 { message += ", \(ByteText.size(kept)) of them is kept" }
        }
        // The error of a single download tells whether its server supports resuming.
        let ownAdvice =
            unfinished == 1 && kept > 0 ? ended.lazy.compactMap(\.interruptionAdvice).first : nil
        let startsOver = downloads.contains { !$0.settings.resumes }
        return DownloadError(
            .interrupted,
            message,
            advice: startsOver
                ? "run the same command again without --no-resume to resume"
                : ownAdvice ?? DownloadError.resumeAdvice
        )
    }
}

extension EndedDownload {
    fileprivate var isFailure: Bool {
        if case .failure = result { true } else { false }
    }

    fileprivate var interruptionAdvice: Advice? {
        guard case .failure(let error) = result, error.code == .interrupted else { return nil }
        return error.guidance.isEmpty ? nil : error.guidance
    }
}
