internal import PawlCore
internal import Synchronization

/// How many bytes of a download its reader has taken.
final class ReaderPosition: Sendable {
    /// The maximum number of bytes that are fetched ahead of the reader.
    static let window = ReaderWindow(length: 64 << 20)

    private let taken = Atomic<Int64>(0)

    var offset: Int64 { taken.load(ordering: .sequentiallyConsistent) }

    func advance(to offset: Int64) { taken.store(offset, ordering: .sequentiallyConsistent) }

    /// Whether a transfer at this position must wait for the reader.
    func isFarBehind(_ position: Int64) -> Bool { position - offset >= Self.window.length }
}
