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
        /// What was written is not to be trusted, and has no name.
        case syncFailed(DownloadError)
    }

    private struct Order: Sendable {
        var prepare: @Sendable () throws(DownloadError) -> Prepared
        var answer: CheckedContinuation<Result<Answer, DownloadError>, Never>
    }

    private struct State {
        var waiting: [Order] = []
        var isBusy = false
    }

    /// More are not held up by each other.
    private static let mostAtOnce = 64

    private let state = Mutex(State())
    private let pool: BlockingPool

    init(pool: BlockingPool) { self.pool = pool }

    /// The file's name, once it is durable.
    ///
    /// `prepare` opens and fills the file; it blocks.
    func finish(
        _ prepare: @escaping @Sendable () throws(DownloadError) -> Prepared
    ) async throws(DownloadError) -> Answer {
        let result = await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state in
                state.waiting.append(Order(prepare: prepare, answer: continuation))
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
        } else {
            carryOut(orders)
        }
        let isIdle = state.withLock { state in
            state.isBusy = !state.waiting.isEmpty
            return !state.isBusy
        }
        if !isIdle { begin() }
    }

    private func carryOut(_ orders: [Order]) {
        let prepared = orders.map { order in
            Result { () throws(DownloadError) in try order.prepare() }
        }
        let files = prepared.compactMap { result in
            if case .success(.file(let file)) = result { file } else { nil as CompleteFile? }
        }
        var names = PartialStore.finish(files)[...]
        for (order, result) in zip(orders, prepared) {
            let answer: Result<Answer, DownloadError>
            switch result {
            case .failure(let error): answer = .failure(error)
            case .success(.alreadyThere(let path, let size)):
                let named = Named(path: path, size: size, wasAlreadyThere: true)
                answer = .success(.named(named))
            case .success(.file(let file)):
                guard let name = names.popFirst() else { continue }
                answer = Self.answer(name, of: file)
            }
            order.answer.resume(returning: answer)
        }
    }

    private static func answer(
        _ name: Result<FilePath, DownloadError>,
        of file: CompleteFile
    ) -> Result<Answer, DownloadError> {
        switch name {
        case .success(let path): .success(.named(Named(path: path, size: file.total)))
        case .failure(let error):
            file.isDistrusted ? .success(.syncFailed(error)) : .failure(error)
        }
    }
}
