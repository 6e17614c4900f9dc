internal import Pawl
internal import PawlCore

/// A file and what it should be.
struct VerifiedFile: Sendable {
    let path: String
    /// The digest that it should have; `nil` is the one that is stored with it.
    var expected: ContentDigest?
    var pieces: PieceDigests?
    var size: Int64?
    /// The URLs of the file, the best first, besides the one that is stored with it.
    var sources: [String] = []

    /// The file, with the digests stored with it where none were given.
    var completed: VerifiedFile {
        // The digests of a Metalink's pieces are worth more than one that may be of another version.
        guard pieces == nil else { return self }
        var file = self
        let digest = FileVerifier.recordedDigest(of: path)
        file.expected = expected ?? digest
        guard file.expected == digest, let record = FileVerifier.recordedPieces(of: path),
            size == nil || size == record.total
        else { return file }
        (file.pieces, file.size) = (record.pieces, record.total)
        return file
    }
}

/// Compares files with their digests, several at a time, and reports the results in their order.
struct VerifyRun: Sendable {
    let files: [VerifiedFile]
    let console: Console
    let json: Bool
    let isQuiet: Bool
    /// Repairs damaged files; `nil` if they are only reported.
    let repair: RepairRun?

    private struct Report: Encodable {
        var path: String
        var isVerified: Bool
        var expected: String?
        var actual: String?
        /// The bytes of the damaged pieces, such as `0-65535`; `nil` if they are not known.
        var damaged: [String]?
        var wasRepaired: Bool?
        var error: String?
    }

    private struct Outcome {
        var expected: ContentDigest?
        var actual: ContentDigest?
        /// The algorithm of the pieces' digests; `nil` if they are not known.
        var pieceAlgorithm: DigestAlgorithm?
        /// The damaged pieces; `nil` if they are not known.
        var damaged: [ByteRange]?
        var wasRepaired = false
        var error: DownloadError?
    }

    /// Returns the exit status.
    func run() async -> Int32 {
        let verifier = FileVerifier()
        let progress = VerifyProgress(files.map(\.path), console)
        var outcomes = await progress.shown { await compareAll(verifier, progress) }
        if let repair, !Task.isCancelled { await self.repair(&outcomes, repair) }
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
        await files.concurrentMap(atMost: VerifyProgress.mostFiles) { index, file in
            await compare(file.completed, index, verifier, progress)
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
        var outcome = Outcome(
            expected: file.expected,
            pieceAlgorithm: file.pieces?.algorithm
        )
        do throws(DownloadError) {
            try OutputPath.checkReadable(file.path, location: "verify")
            try await compare(file, verifier, &outcome) { progress.set(index, $0) }
        } catch {
            if error.code == .cancelled || error.code == .interrupted { return nil }
            outcome.error = error
        }
        return outcome
    }

    private func compare(
        _ file: VerifiedFile,
        _ verifier: FileVerifier,
        _ outcome: inout Outcome,
        progress: @escaping @Sendable (Int64) -> Void
    ) async throws(DownloadError) {
        let name = file.path.sanitized
        let found = try FileVerifier.size(of: file.path)
        var text = file.size.flatMap { size in
            size == found ? nil : "\(name) has \(found) bytes instead of \(size)"
        }
        if let expected = file.expected {
            outcome.actual = try await verifier.digest(
                expected.algorithm,
                of: file.path,
                progress: progress
            )
            guard outcome.actual != expected else { return }
            text = text ?? "\(name) does not have the expected \(expected.algorithm.rawValue)"
        } else if file.pieces == nil, file.size == nil {
            throw .usage(
                "no checksum of \(name) is known",
                advice: "give it with --checksum, --sums or --metalink"
            )
        }
        if let pieces = file.pieces {
            let damaged = try await verifier.wrongPieces(
                pieces,
                of: file.path,
                total: file.size,
                progress: progress
            )
            outcome.damaged = damaged
            if text == nil, damaged.isEmpty { return }
            let count = "\(damaged.count) of its \(pieces.count) pieces are damaged"
            text = text.map { "\($0): \(count)" } ?? "\(name): \(count)"
        }
        guard let text else { return }
        throw DownloadError(
            .checksumMismatch,
            text,
            advice: Self.repairAdvice(of: file)
        )
    }

    /// What to do about a damaged file: without a URL, `--repair` alone fails.
    private static func repairAdvice(of file: VerifiedFile) -> Advice {
        let isKnown =
            !file.sources.isEmpty || !FileVerifier.recordedSources(of: file.path).isEmpty
        return isKnown
            ? "repair it with --repair, or download it again"
            : "repair it with --repair and --url, or download it again"
    }

    /// Repairs the files whose content does not match.
    private func repair(_ outcomes: inout [Outcome?], _ repair: RepairRun) async {
        let damaged = outcomes.indices.filter { outcomes[$0]?.error?.code == .checksumMismatch }
        let damages = damaged.map {
            RepairRun.Damage(file: files[$0].completed, digest: outcomes[$0]?.expected)
        }
        for (index, ending) in zip(damaged, await repair.run(damages, isQuiet: isQuiet)) {
            switch ending {
            case .repaired:
                outcomes[index]?.wasRepaired = true
                outcomes[index]?.error = nil
            case .failed(let error): outcomes[index]?.error = error
            case .interrupted: outcomes[index] = nil
            }
        }
    }

    private func print(_ outcomes: [Outcome?]) {
        for (file, outcome) in zip(files, outcomes) {
            guard let outcome else { continue }
            if let error = outcome.error {
                console.report(error)
            } else if !isQuiet || outcome.wasRepaired {
                let kind = outcome.expected?.algorithm ?? outcome.pieceAlgorithm
                let result = outcome.wasRepaired ? "repaired" : "OK"
                console.output("\(file.path.sanitized): \(result) (\(kind?.rawValue ?? "size"))\n")
            }
        }
    }

    private func printJSON(_ outcomes: [Outcome?]) {
        let reports = zip(files, outcomes).compactMap { file, outcome -> Report? in
            guard let outcome else { return nil }
            var report = Report(path: file.path, isVerified: outcome.error == nil)
            report.expected = outcome.expected?.description
            report.actual = outcome.wasRepaired ? report.expected : outcome.actual?.description
            report.damaged = outcome.damaged?.map { "\($0.start)-\($0.end - 1)" }
            report.wasRepaired = outcome.wasRepaired ? true : nil
            report.error = outcome.error?.code.rawValue
            return report
        }
        console.output(JSONOutput.pretty(reports) + "\n")
    }
}
