#if os(Linux)
internal import CPlatform
internal import Glibc
internal import PawlCore
internal import PawlStorage
internal import Synchronization
internal import SystemPackage

/// Passes changes from the thread that watches a folder to the tasks that read them.
///
/// It holds at most one batch of changes, and none while a task waits for one.
final class PendingChanges: Sendable {
    private typealias Reader = Completion<[FolderChange]?>

    private struct State {
        var readers: [Reader] = []
        var batch: [FolderChange]?
        var isEnded = false
    }

    private let state = Mutex(State())
    private let event: OpenFile

    init() throws(Errno) {
        let descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        guard descriptor >= 0 else { throw .last }
        event = OpenFile(owning: descriptor)
    }

    /// A descriptor that becomes readable when a task begins to read or the watching ends.
    var descriptor: Int32 { event.descriptor }

    var isEnded: Bool { state.withLock { $0.isEnded } }

    /// Whether a task waits for a batch.
    var isEmptyAndAwaited: Bool { state.withLock { !$0.readers.isEmpty && $0.batch == nil } }

    /// Makes the descriptor unreadable again.
    func clearEvent() {
        var count: UInt64 = 0
        _ = read(event.descriptor, &count, 8)
    }

    /// Passes a batch to the first reader.
    ///
    /// The watching thread calls this.
    func put(_ batch: [FolderChange]) {
        state.withLock { state in
            guard !state.isEnded else { return }
            guard state.readers.isEmpty else {
                return state.readers.removeFirst().complete(with: batch)
            }
            // The reader was cancelled meanwhile, so the next one gets the batch.
            state.batch = batch
        }
    }

    /// Ends the watching.
    ///
    /// Waiting tasks get `nil`.
    ///
    /// A batch that is held can still be read.
    func end() {
        state.withLock { state in
            state.isEnded = true
            for reader in state.readers { reader.complete(with: nil) }
            state.readers = []
        }
        signal()
    }

    /// Returns the next batch; `nil` after the end, or if the task is cancelled.
    func next() async -> [FolderChange]? {
        let reader = Reader()
        state.withLock { state in
            if let batch = state.batch.take() {
                reader.complete(with: batch)
            } else if state.isEnded {
                reader.complete(with: nil)
            } else {
                state.readers.append(reader)
            }
        }
        signal()
        if let batch = await reader.wait() { return batch }
        return state.withLock { state in
            state.readers.removeAll { $0 === reader }
            // A batch may have arrived since the task was cancelled.
            return reader.value ?? nil
        }
    }

    private func signal() {
        var one: UInt64 = 1
        _ = write(event.descriptor, &one, 8)
    }
}
#endif
