internal import Glibc
internal import PawlCore
internal import PawlWire

/// Tells the process that has started the daemon whether the start has succeeded.
struct ReadySignal: Sendable {
    /// The pipe to that process; `nil` if none waits.
    private let descriptor: Int32?

    init(descriptor: Int32?) { self.descriptor = descriptor }

    func ready() { send(Array("ready\n".utf8)) }

    func failed(_ error: DownloadError) {
        // Without this message, the other process reports that the daemon has stopped, and where
        // its log is.
        guard let problem = try? WireJSON.encode(Problem(error)) else { return }
        send(problem + Array("\n".utf8))
    }

    private func send(_ bytes: [UInt8]) {
        guard let descriptor else { return }
        _ = write(descriptor, bytes, bytes.count)
        close(descriptor)
    }
}
