internal import Synchronization

/// The files that this process reads only once: a pipe, such as standard input, has nothing for a
/// second reader.
package enum OnceReadFiles {
    private struct Reading: Hashable {
        let path: String
        let option: String?
    }

    private struct File: Hashable {
        let device: UInt64
        let inode: UInt64
    }

    private struct State {
        var begun: Set<File> = []
        var texts: [Reading: String] = [:]
    }

    private static let state = Mutex(State())

    /// Notes that a file is read; returns `false` if it was read before.
    package static func begin(device: UInt64, inode: UInt64) -> Bool {
        state.withLock { $0.begun.insert(File(device: device, inode: inode)).inserted }
    }

    /// Keeps the text of a file for those who need it later.
    ///
    /// `option`: the name of the only option that gets the text; `nil` keeps it for sessions.
    package static func keep(_ text: String, of path: String, for option: String? = nil) {
        state.withLock { $0.texts[Reading(path: path, option: option)] = text }
    }

    /// Returns the text of a file; `nil` if it was not kept for this option, or for sessions.
    package static func text(of path: String, for option: String? = nil) -> String? {
        state.withLock { $0.texts[Reading(path: path, option: option)] }
    }
}
