#if os(Linux)
internal import CPlatform
internal import Glibc
internal import PawlCore
internal import Synchronization
internal import SystemPackage

/// Between the thread that watches and whoever reads: one batch of changes at most lies in it.
final class WatchMailbox: Sendable {
    private typealias Reader = (
        id: UInt64, continuation: CheckedContinuation<[FolderChange]?, Never>
    )

    private struct State {
        var readers: [Reader] = []
        var lastReader: UInt64 = 0
        var batch: [FolderChange]?
        var isEnded = false
    }

    private let state = Mutex(State())
    private let bell: OpenFile

    init() throws(Errno) {
        let descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        guard descriptor >= 0 else { throw .last }
        bell = OpenFile(owning: descriptor)
    }

    /// Readable when somebody has begun to read, or has ended it.
    var descriptor: Int32 { bell.descriptor }

    var isEnded: Bool { state.withLock { $0.isEnded } }

    /// Whether somebody waits, and there is nothing for him yet.
    var isEmptyAndAwaited: Bool { state.withLock { !$0.readers.isEmpty && $0.batch == nil } }

    func silence() {
        var count: UInt64 = 0
        _ = read(bell.descriptor, &count, 8)
    }

    /// Called by the thread.
    func put(_ batch: [FolderChange]) {
        let reader: Reader? = state.withLock { state in
            guard !state.isEnded else { return nil }
            guard state.readers.isEmpty else { return state.readers.removeFirst() }
            // Its reader was cancelled meanwhile: the next one gets it.
            state.batch = batch
            return nil
        }
        reader?.continuation.resume(returning: batch)
    }

    /// Nothing more comes: those who wait get nil.
    ///
    /// What lies there already can still be read.
    func end() {
        let readers = state.withLock { state in
            defer { state.readers = [] }
            state.isEnded = true
            return state.readers
        }
        for reader in readers { reader.continuation.resume(returning: nil) }
        ring()
    }

    func next() async -> [FolderChange]? {
        let id = state.withLock { state in
            state.lastReader += 1
            return state.lastReader
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer = state.withLock { state -> [FolderChange]?? in
                    if let batch = state.batch {
                        state.batch = nil
                        return batch
                    }
                    // The flag is set before the handler below runs.
                    if state.isEnded || Task.isCancelled { return .some(nil) }
                    state.readers.append((id, continuation))
                    return nil
                }
                if let answer { continuation.resume(returning: answer) } else { ring() }
            }
        } onCancel: {
            let reader = state.withLock { state -> Reader? in
                guard let index = state.readers.firstIndex(where: { $0.id == id }) else {
                    return nil
                }
                return state.readers.remove(at: index)
            }
            reader?.continuation.resume(returning: nil)
        }
    }

    private func ring() {
        var one: UInt64 = 1
        _ = write(bell.descriptor, &one, 8)
    }
}
#endif
