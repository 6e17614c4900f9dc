internal import Glibc
internal import PawlCore
internal import PawlWire

/// How a daemon tells the one that has started it.
struct ReadySignal: Sendable {
    /// Nil where nobody waits.
    let descriptor: Int32?

    func ready() { send(Array("ready\n".utf8)) }

    func failed(_ error: DownloadError) {
        // Without it the starter says that the daemon has ended, and where to look.
        guard let problem = try? WireJSON.encode(Problem(error)) else { return }
        send(problem + Array("\n".utf8))
    }

    private func send(_ bytes: [UInt8]) {
        guard let descriptor else { return }
        _ = write(descriptor, bytes, bytes.count)
        close(descriptor)
    }
}
