internal import Synchronization

/// The texts of pipes that this process has read: a pipe has nothing for a second reader.
package enum PipeTexts {
    private static let texts = Mutex<[String: String]>([:])

    package static func keep(_ text: String, of path: String) {
        texts.withLock { $0[path] = text }
    }

    /// Returns the text of a pipe; `nil` if it was not read.
    package static func text(of path: String) -> String? { texts.withLock { $0[path] } }
}
