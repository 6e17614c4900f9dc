internal import PawlCore
internal import SystemPackage
internal import Synchronization

/// The names of a partial file and its checkpoint, now or as soon as they have names.
///
/// It has a separate lock, because errors name the files while the store's state is locked.
final class StoreNames: Sendable {
    private struct State: Sendable {
        var paths: DownloadPaths
        /// Returns the names to try if these are taken; `nil` tries none.
        var next: NextName?
        var whenChanged: (@Sendable (PartialStore) -> Void)?
    }

    private let state: Mutex<State>

    init(_ paths: DownloadPaths, next: NextName?) {
        state = Mutex(State(paths: paths, next: next))
    }

    var paths: DownloadPaths { state.withLock { $0.paths } }

    func whenChanged(_ body: @escaping @Sendable (PartialStore) -> Void) {
        state.withLock { $0.whenChanged = body }
    }

    /// Changes to the next names and returns them.
    ///
    /// Throws if there are none to try.
    func change(of store: PartialStore) throws(DownloadError) -> DownloadPaths {
        let (taken, next) = state.withLock { ($0.paths, $0.next) }
        guard let next else { throw FileLock.taken(taken.partial) }
        let paths = try next(taken)
        let whenChanged = state.withLock { state in
            state.paths = paths
            return state.whenChanged
        }
        whenChanged?(store)
        return paths
    }
}
