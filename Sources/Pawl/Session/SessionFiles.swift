internal import Logging
internal import PawlEngine
internal import Synchronization

/// The files of one kind that the tasks of a session name.
final class SessionFiles<Values: FiledValues>: Sendable {
    private struct State {
        var files: [String: SessionFile<Values>] = [:]
        weak var engine: Engine?
    }

    private let logger: Logger
    private let state = Mutex(State())

    init(_ logger: Logger) { self.logger = logger }

    /// Whether no file was named, so that there is nothing to write.
    var isEmpty: Bool { state.withLock { $0.files.isEmpty } }

    /// Returns the values of a file, which is read the first time that it is named.
    func values(of path: String) -> Values {
        state.withLock { state in
            if let known = state.files[path] { return known.values }
            let file = SessionFile<Values>(path, logger)
            state.files[path] = file
            if let engine = state.engine { file.follow(with: engine) }
            return file.values
        }
    }

    /// Writes the files when their values change.
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
