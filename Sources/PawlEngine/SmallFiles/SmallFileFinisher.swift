internal import PawlCore
internal import PawlStorage
internal import Synchronization
internal import SystemPackage

/// Names finished small files in batches, so that files that finish together share the disk's
/// syncs.
package final class SmallFileFinisher: Sendable {
    /// The result of preparing a job.
    enum Prepared: Sendable {
        case file(CompleteFile)
        /// The file existed already, with this size.
        case alreadyThere(FilePath, size: Int64)
    }

    struct Named: Sendable {
        var path: FilePath
        var size: Int64
        var wasAlreadyThere = false
    }

    enum Outcome: Sendable {
        case named(Named)
        /// The file is durable and has no name yet.
        case durable(CompleteFile, FileStamp)
        /// The sync failed: the written bytes cannot be trusted, and the file has no name.
        case syncFailed(DownloadError)
    }

    /// Opens and fills a file.
    ///
    /// It blocks.
    typealias Preparation = @Sendable () throws(DownloadError) -> Prepared
    typealias Answer = @Sendable (Result<Outcome, DownloadError>) -> Void

    private struct FileJob: Sendable {
        var prepare: Preparation
        /// Whether the file is to be named as well.
        var isToBeNamed: Bool
        var answer: Answer
    }

    private struct State {
        var waiting: [FileJob] = []
        var isBusy = false
    }

    /// The maximum number of files in a batch, so that files do not delay each other.
    private static let mostAtOnce = 256
    /// The number of files per thread.
    ///
    /// Each sync waits for the disk to empty its cache, which the kernel does once for all threads
    /// that ask at the same time.
    private static let filesAThread = 32

    private let state = Mutex(State())
    private let pool: BlockingPool

    init(pool: BlockingPool) { self.pool = pool }

    /// Makes the file durable and gives it its name, and then calls `answer` on a thread for syncs.
    func finish(_ prepare: @escaping Preparation, answer: @escaping Answer) {
        serve(FileJob(prepare: prepare, isToBeNamed: true, answer: answer))
    }

    /// Makes the file durable and gives it its name.
    func finish(_ prepare: @escaping Preparation) async throws(DownloadError) -> Outcome {
        try await serve(prepare, isToBeNamed: true)
    }

    /// Makes the file durable without naming it; `finish` names it later.
    ///
    /// Returns the existing file if there is one.
    func makeDurable(_ prepare: @escaping Preparation) async throws(DownloadError) -> Outcome {
        try await serve(prepare, isToBeNamed: false)
    }

    private func serve(
        _ prepare: @escaping Preparation,
        isToBeNamed: Bool
    ) async throws(DownloadError) -> Outcome {
        let result = await withCheckedContinuation { continuation in
            serve(
                FileJob(prepare: prepare, isToBeNamed: isToBeNamed) {
                    continuation.resume(returning: $0)
                }
            )
        }
        return try result.get()
    }

    private func serve(_ job: FileJob) {
        let isIdle = state.withLock { state in
            state.waiting.append(job)
            defer { state.isBusy = true }
            return !state.isBusy
        }
        if isIdle { begin() }
    }

    private func begin() { pool.start { refusal in self.serve(refusal) } }

    private func serve(_ refusal: DownloadError?) {
        let jobs = state.withLock { state in
            let jobs = Array(state.waiting.prefix(Self.mostAtOnce))
            state.waiting.removeFirst(jobs.count)
            return jobs
        }
        if let refusal {
            for job in jobs { job.answer(.failure(refusal)) }
            return continueWithNext()
        }
        let batch = Batch(jobs)
        guard !batch.files.isEmpty else { return conclude(batch) }
        // The disk gets all the work at once, so the first sync waits for most of it.
        if batch.files.count > 1 { for file in batch.files { file.startWriteback() } }
        for _ in 0..<(batch.files.count - 1) / Self.filesAThread {
            pool.start { _ in self.sync(batch) }
        }
        sync(batch)
    }

    /// Syncs files until none of the batch is left.
    ///
    /// The thread that syncs the last one names them all.
    private func sync(_ batch: Batch) {
        while let index = batch.next() {
            let file = batch.files[index]
            let durable = Result { () throws(DownloadError) in try file.makeDurable() }
            if batch.isLast(index, durable) { conclude(batch) }
        }
    }

    private func continueWithNext() {
        let isIdle = state.withLock { state in
            state.isBusy = !state.waiting.isEmpty
            return !state.isBusy
        }
        if !isIdle { begin() }
    }

    private func conclude(_ batch: Batch) {
        var synced = batch.synced[...]
        var names = CompleteFile.name(batch.toBeNamed)[...]
        for (job, result) in zip(batch.jobs, batch.prepared) {
            let answer: Result<Outcome, DownloadError>
            switch result {
            case .failure(let error): answer = .failure(error)
            case .success(.alreadyThere(let path, let size)):
                let named = Named(path: path, size: size, wasAlreadyThere: true)
                answer = .success(.named(named))
            case .success(.file(let file)):
                guard let durable = synced.popFirst()?.durable else { continue }
                guard job.isToBeNamed else {
                    answer = Self.answer(durable, of: file)
                    break
                }
                guard let name = names.popFirst() else { continue }
                answer = Self.answer(name, of: file)
            }
            job.answer(answer)
        }
        continueWithNext()
    }

    private static func answer(
        _ durable: Result<Void, DownloadError>,
        of file: CompleteFile
    ) -> Result<Outcome, DownloadError> {
        durable.flatMap { Result { () throws(DownloadError) in try file.stamp() } }
            .map { Outcome.durable(file, $0) }
            .flatMapError { error in
                file.isDistrusted ? .success(.syncFailed(error)) : .failure(error)
            }
    }

    private static func answer(
        _ name: Result<FinishedName, DownloadError>,
        of file: CompleteFile
    ) -> Result<Outcome, DownloadError> {
        switch name {
        case .success(let name):
            .success(
                .named(
                    Named(path: name.path, size: file.total, wasAlreadyThere: name.wasThere)
                )
            )
        case .failure(let error):
            file.isDistrusted ? .success(.syncFailed(error)) : .failure(error)
        }
    }

    /// The files that are synced together.
    private final class Batch: Sendable {
        private struct State {
            var next = 0
            var durable: [Result<Void, DownloadError>?]
            var left: Int
        }

        let jobs: [FileJob]
        let prepared: [Result<Prepared, DownloadError>]
        let files: [CompleteFile]
        private let state: Mutex<State>

        init(_ jobs: [FileJob]) {
            self.jobs = jobs
            prepared = jobs.map { job in
                Result { () throws(DownloadError) in try job.prepare() }
            }
            files = prepared.compactMap { result in
                if case .success(.file(let file)) = result { file } else { nil as CompleteFile? }
            }
            let none = [Result<Void, DownloadError>?](repeating: nil, count: files.count)
            state = Mutex(State(durable: none, left: files.count))
        }

        /// Returns the index of the next file to sync.
        func next() -> Int? {
            state.withLock { state in
                guard state.next < files.count else { return nil }
                defer { state.next += 1 }
                return state.next
            }
        }

        /// Records the result of a file's sync.
        ///
        /// Returns `true` if all syncs have ended.
        func isLast(_ index: Int, _ durable: Result<Void, DownloadError>) -> Bool {
            state.withLock { state in
                state.durable[index] = durable
                state.left -= 1
                return state.left == 0
            }
        }

        var synced: [(file: CompleteFile, durable: Result<Void, DownloadError>)] {
            let durable = state.withLock { $0.durable.compactMap(\.self) }
            return zip(files, durable).map { (file: $0, durable: $1) }
        }

        var toBeNamed: [(file: CompleteFile, durable: Result<Void, DownloadError>)] {
            let jobsOfFiles = zip(jobs, prepared).lazy.filter { _, result in
                if case .success(.file) = result { true } else { false }
            }.map(\.0)
            return zip(jobsOfFiles, synced).lazy.filter(\.0.isToBeNamed).map(\.1)
        }
    }
}
