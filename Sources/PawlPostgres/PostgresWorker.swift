internal import CPlatform
internal import Glibc

/// Starts threads for work that waits for the network.
enum PostgresWorker {
    /// Runs `body` on a new thread without signals; returns `false` if the system has no thread
    /// left.
    static func start(_ name: String, _ body: @escaping @Sendable () -> Void) -> Bool {
        let start = Unmanaged.passRetained(Start(name, body))
        var thread = pthread_t()
        let code = pthread_create(&thread, nil, { Start.run($0) }, start.toOpaque())
        if code == 0 { pthread_detach(thread) } else { start.release() }
        return code == 0
    }

    private final class Start: Sendable {
        private let name: String
        private let body: @Sendable () -> Void

        init(_ name: String, _ body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }

        static func run(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
            guard let argument else { return nil }
            let start = Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
            pawl_block_signals()
            pawl_name_this_thread(start.name)
            start.body()
            return nil
        }
    }
}
