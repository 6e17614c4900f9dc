internal import PawlCore
internal import PawlStorage
internal import Synchronization
internal import SystemPackage

/// Gives small files their names: all that have come meanwhile at once, so that they share the
/// disk's syncs.
package final class Finisher: Sendable {
    /// What an order's preparation made.
    enum Prepared: Sendable {
        case file(CompleteFile)
        /// It was there before, so large.
        case alreadyThere(FilePath, size: Int64)
    }

    struct Named: Sendable {
        var path: FilePath
        var size: Int64
        var wasAlreadyThere = false
    }

    enum Answer: Sendable {
        case named(Named)
        /// It has no name yet.
        case durable(CompleteFile, FileStamp)
        /// What was written is not to be trusted, and has no name.
        case syncFailed(DownloadError)
    }

    private struct Order: Sendable {
        var prepare: @Sendable () throws(DownloadError) -> Prepared
        /// Whether it gets its name, too.
        var isToBeNamed: Bool
        var answer: CheckedContinuation<Result<Answer, DownloadError>, Never>
    }

    private struct State {
        var waiting: [Order] = []
        var isBusy = false
    }

    /// More are not held up by each other.
    private static let mostAtOnce = 64
    /// So many have a thread of their own to sync them: each sync waits for the disk to empty its
    /// cache, and the kernel does that once for all who ask at the same time.
    private static let filesAThread = 8

    private let state = Mutex(State())
    private let pool: BlockingPool

    init(pool: BlockingPool) { self.pool = pool }

    /// The file's name, once it is durable.
    ///
    /// `prepare` opens and fills the file; it blocks.
    func finish(
        _ prepare: @escaping @Sendable () throws(DownloadError) -> Prepared
    ) async throws(DownloadError) -> Answer {
        try await serve(prepare, isToBeNamed: true)
    }

    /// The file, durable and without its name, which `finish` then gives it; or the one that is there
    /// already.
    func makeDurable(
        _ prepare: @escaping @Sendable () throws(DownloadError) -> Prepared
    ) async throws(DownloadError) -> Answer {
        try await serve(prepare, isToBeNamed: false)
    }

    private func serve(
        _ prepare: @escaping @Sendable () throws(DownloadError) -> Prepared,
        isToBeNamed: Bool
    ) async throws(DownloadError) -> Answer {
        let result = await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state in
                state.waiting.append(
                    Order(prepare: prepare, isToBeNamed: isToBeNamed, answer: continuation)
                )
                defer { state.isBusy = true }
                return !state.isBusy
            }
            if isIdle { begin() }
        }
        return try result.get()
    }

    private func begin() { pool.start { refusal in self.serve(refusal) } }

    private func serve(_ refusal: DownloadError?) {
        let orders = state.withLock { state in
            let orders = Array(state.waiting.prefix(Self.mostAtOnce))
            state.waiting.removeFirst(orders.count)
            return orders
        }
        if let refusal {
            for order in orders { order.answer.resume(returning: .failure(refusal)) }
            return goOn()
        }
        let batch = Batch(orders)
        guard !batch.files.isEmpty else { return conclude(batch) }
        // The disk gets all of it to do at once; the first sync then waits for most of it.
        if batch.files.count > 1 { for file in batch.files { file.startWriteback() } }
        for _ in 0..<(batch.files.count - 1) / Self.filesAThread {
            pool.start { _ in self.sync(batch) }
        }
        sync(batch)
    }

    /// Until no file of the batch is left; who syncs the last one gives all their names.
    private func sync(_ batch: Batch) {
        while let index = batch.next() {
            let file = batch.files[index]
            let durable = Result { () throws(DownloadError) in try file.makeDurable() }
            if batch.isLast(index, durable) { conclude(batch) }
        }
    }

    private func goOn() {
        let isIdle = state.withLock { state in
            state.isBusy = !state.waiting.isEmpty
            return !state.isBusy
        }
        if !isIdle { begin() }
    }

    private func conclude(_ batch: Batch) {
        var synced = batch.synced[...]
        var names = PartialStore.name(batch.toBeNamed)[...]
        for (order, result) in zip(batch.orders, batch.prepared) {
            let answer: Result<Answer, DownloadError>
            switch result {
            case .failure(let error): answer = .failure(error)
            case .success(.alreadyThere(let path, let size)):
                let named = Named(path: path, size: size, wasAlreadyThere: true)
                answer = .success(.named(named))
            case .success(.file(let file)):
                guard let durable = synced.popFirst()?.durable else { continue }
                guard order.isToBeNamed else {
                    answer = Self.answer(durable, of: file)
                    break
                }
                guard let name = names.popFirst() else { continue }
                answer = Self.answer(name, of: file)
            }
            order.answer.resume(returning: answer)
        }
        goOn()
    }

    private static func answer(
        _ durable: Result<Void, DownloadError>,
        of file: CompleteFile
    ) -> Result<Answer, DownloadError> {
        durable.flatMap { Result { () throws(DownloadError) in try file.stamp() } }
            .map { Answer.durable(file, $0) }
            .flatMapError { error in
                file.isDistrusted ? .success(.syncFailed(error)) : .failure(error)
            }
    }

    private static func answer(
        _ name: Result<FinishedName, DownloadError>,
        of file: CompleteFile
    ) -> Result<Answer, DownloadError> {
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

    /// Files that are synced side by side.
    private final class Batch: Sendable {
        private struct State {
            var next = 0
            var durable: [Result<Void, DownloadError>?]
            var left: Int
        }

        let orders: [Order]
        let prepared: [Result<Prepared, DownloadError>]
        let files: [CompleteFile]
        private let state: Mutex<State>

        init(_ orders: [Order]) {
            self.orders = orders
            prepared = orders.map { order in
                Result { () throws(DownloadError) in try order.prepare() }
            }
            files = prepared.compactMap { result in
                if case .success(.file(let file)) = result { file } else { nil as CompleteFile? }
            }
            let none = [Result<Void, DownloadError>?](repeating: nil, count: files.count)
            state = Mutex(State(durable: none, left: files.count))
        }

        /// The index of a file to be synced.
        func next() -> Int? {
            state.withLock { state in
                guard state.next < files.count else { return nil }
                defer { state.next += 1 }
                return state.next
            }
        }

        /// Notes how a file's sync went; true where all have ended.
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
            let ordersOfFiles = zip(orders, prepared).lazy.filter { _, result in
                if case .success(.file) = result { true } else { false }
            }.map(\.0)
            return zip(ordersOfFiles, synced).lazy.filter(\.0.isToBeNamed).map(\.1)
        }
    }
}
