package import PawlCore

/// What is said after Ctrl-C: what is kept and how to go on.
package enum InterruptionSentence {
    package static func make(
        _ ended: [EndedDownload],
        orders: [DownloadOrder]
    ) -> DownloadError {
        let finished = ended.count { download in
            if case .success = download.result { true } else { false }
        }
        let left = orders.count - finished
        let kept = ended.reduce(Int64(0)) { sum, download in
            guard case .failure = download.result else { return sum }
            return sum.saturatingAdd(download.keptBytes)
        }
        var message = "interrupted; "
        switch (left, ended.first(where: { $0.isFailure })?.name) {
        case (1, .some(let name)):
            message +=
                kept > 0 ? "\(ByteText.size(kept)) of \(name) is kept" : "\(name) had not begun"
        default:
            message += "\(left) downloads are not complete"
            if kept > 0 { message += ", \(ByteText.size(kept)) of them is kept" }
        }
        // Of a single one it is known whether its server lets it go on.
        let own = left == 1 && kept > 0 ? ended.lazy.compactMap(\.interruptionAdvice).first : nil
        let startsAnew = orders.contains { !$0.settings.resumes }
        return DownloadError(
            .interrupted,
            message,
            advice: startsAnew
                ? "run the same command again without --no-resume to go on"
                : own ?? DownloadError.goOnAdvice
        )
    }
}

extension EndedDownload {
    fileprivate var isFailure: Bool {
        if case .failure = result { true } else { false }
    }

    fileprivate var interruptionAdvice: String? {
        guard case .failure(let error) = result, error.code == .interrupted else { return nil }
        return error.advice.isEmpty ? nil : error.advice
    }
}
