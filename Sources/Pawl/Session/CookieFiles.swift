internal import Logging
internal import PawlCore
internal import PawlEngine
internal import Synchronization

/// The cookie files of a session: its own, and those that the settings of its tasks name.
final class CookieFiles: Sendable {
    private struct State {
        var files: [String: CookieFile] = [:]
        weak var engine: Engine?
    }

    private let logger: Logger
    private let state = Mutex(State())

    init(_ logger: Logger) { self.logger = logger }

    /// Whether no file was named, so that there is nothing to write.
    var isEmpty: Bool { state.withLock { $0.files.isEmpty } }

    /// Returns the cookies of a file, which is read the first time that it is named.
    func jar(of path: String) -> CookieJar {
        state.withLock { state in
            if let known = state.files[path] { return known.jar }
            let file = CookieFile(path, logger)
            state.files[path] = file
            if let engine = state.engine { file.follow(with: engine) }
            return file.jar
        }
    }

    /// Writes the files when their cookies change.
    func follow(with engine: Engine) {
        let files = state.withLock { state in
            state.engine = engine
            return Array(state.files.values)
        }
        for file in files { file.follow(with: engine) }
    }

    /// Writes what has changed; it blocks.
    func save() {
        for file in state.withLock({ Array($0.files.values) }) { file.save() }
    }
}
