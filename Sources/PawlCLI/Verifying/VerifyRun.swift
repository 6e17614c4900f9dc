internal import Pawl
internal import PawlCore
internal import Synchronization

/// A file and the digest that it should have; `nil` is the one that is stored with it.
struct VerifiedFile: Sendable {
    let path: String
    let expected: ContentDigest?
}

/// Compares files with their digests, several at a time, and reports the results in their order.
struct VerifyRun: Sendable {
    let files: [VerifiedFile]
    let console: Console
    let json: Bool
    let isQuiet: Bool

    private struct Report: Encodable {
        var path: String
        var isVerified: Bool
        var expected: String?
        var actual: String?
        var error: String?
    }

    private enum Outcome {
        case same(ContentDigest)
        case failed(DownloadError, expected: ContentDigest?, actual: ContentDigest?)

        var error: DownloadError? {
            if case .failed(let error, _, _) = self { error } else { nil }
        }
    }

    /// Returns the exit status.
    func run() async -> Int32 {
        let verifier = FileVerifier()
        let progress = VerifyProgress(files.map(\.path), console)
        let outcomes = await withTaskGroup(of: [Outcome?]?.self) { group in
            group.addTask {
                let clock = SystemTimekeeper()
                while (try? await clock.sleep(until: clock.now() + .milliseconds(100))) != nil {
                    progress.show(at: clock.now())
                }
                return nil
            }
            group.addTask { await compareAll(verifier, progress) }
            var outcomes: [Outcome?] = []
            for await ended in group {
                guard let ended else { continue }
                outcomes = ended
                group.cancelAll()
            }
            return outcomes
        }
        progress.close()
        if json { printJSON(outcomes) } else { print(outcomes) }
        let errors = outcomes.compactMap { $0?.error }
        if Task.isCancelled, outcomes.contains(where: { $0 == nil }) {
            console.report(DownloadError(.interrupted, "interrupted", advice: "run it again"))
            return ErrorCode.interrupted.exitStatus
        }
        return errors.first?.code.exitStatus ?? 0
    }

    private func compareAll(
        _ verifier: FileVerifier,
        _ progress: VerifyProgress
    ) async -> [Outcome?] {
        let width = VerifyProgress.mostFiles
        return await withTaskGroup(of: (Int, Outcome?).self) { group in
            var outcomes = [Outcome?](repeating: nil, count: files.count)
            for (index, file) in files.enumerated() {
                if index >= width, let (ended, outcome) = await group.next() {
                    outcomes[ended] = outcome
                }
                group.addTask { (index, await compare(file, index, verifier, progress)) }
            }
            for await (ended, outcome) in group { outcomes[ended] = outcome }
            return outcomes
        }
    }

    /// Returns `nil` if the task was cancelled.
    private func compare(
        _ file: VerifiedFile,
        _ index: Int,
        _ verifier: FileVerifier,
        _ progress: VerifyProgress
    ) async -> Outcome? {
        guard !Task.isCancelled else { return nil }
        defer { progress.ended(index) }
        do throws(DownloadError) {
            try OutputPath.checkReadable(file.path, location: "verify")
        } catch {
            return .failed(error, expected: file.expected, actual: nil)
        }
        guard let expected = file.expected ?? FileVerifier.recordedDigest(of: file.path) else {
            let error = DownloadError(
                .usage,
                "no checksum of \(file.path.sanitized) is known",
                advice: "give it with --checksum or --sums"
            )
            return .failed(error, expected: nil, actual: nil)
        }
        do throws(DownloadError) {
            let actual = try await verifier.digest(expected.algorithm, of: file.path) { count in
                progress.set(index, count)
            }
            guard actual != expected else { return .same(actual) }
            let error = DownloadError(
                .checksumMismatch,
                "\(file.path.sanitized) has another \(expected.algorithm.rawValue) than expected",
                advice: "download it again"
            )
            return .failed(error, expected: expected, actual: actual)
        } catch {
            if error.code == .cancelled || error.code == .interrupted { return nil }
            return .failed(error, expected: expected, actual: nil)
        }
    }

    private func print(_ outcomes: [Outcome?]) {
        for (file, outcome) in zip(files, outcomes) {
            switch outcome {
            case .same(let digest) where !isQuiet:
                console.output("\(file.path.sanitized): OK (\(digest.algorithm.rawValue))\n")
            case .failed(let error, _, _): console.report(error)
            case .same, nil: break
            }
        }
    }

    private func printJSON(_ outcomes: [Outcome?]) {
        let reports = zip(files, outcomes).compactMap { file, outcome -> Report? in
            switch outcome {
            case .same(let digest):
                let text = digest.description
                return Report(path: file.path, isVerified: true, expected: text, actual: text)
            case .failed(let error, let expected, let actual):
                return Report(
                    path: file.path,
                    isVerified: false,
                    expected: expected?.description,
                    actual: actual?.description,
                    error: error.code.rawValue
                )
            case nil: return nil
            }
        }
        console.output(JSONText.pretty(reports) + "\n")
    }
}
