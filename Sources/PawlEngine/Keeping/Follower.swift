internal import PawlCore
internal import PawlStorage

/// Does blocking work for the newest request, one piece at a time, beside the driver.
final class Follower<Request: Sendable>: Sendable {
    private enum Message: Sendable {
        case request(Request)
        case finish
    }

    private let mailbox = Mailbox<Message>()
    private let pool: BlockingPool
    private let work: @Sendable (Request) throws(DownloadError) -> Void
    private let done: @Sendable (DownloadError?) -> Void

    init(
        pool: BlockingPool,
        work: @escaping @Sendable (Request) throws(DownloadError) -> Void,
        done: @escaping @Sendable (DownloadError?) -> Void
    ) {
        self.pool = pool
        self.work = work
        self.done = done
    }

    /// A newer request replaces one that has not been begun.
    func follow(_ request: Request) { mailbox.post(.request(request)) }

    /// Ends `run()` after the piece that is being worked on.
    func finish() { mailbox.post(.finish) }

    func run() async {
        while true {
            await mailbox.wait()
            var newest: Request?
            for message in mailbox.take() {
                guard case .request(let request) = message else { return }
                newest = request
            }
            if let newest { await serve(newest) }
        }
    }

    private func serve(_ request: Request) async {
        let work = work
        do throws(DownloadError) {
            try await pool.run { () throws(DownloadError) in try work(request) }
            done(nil)
        } catch {
            done(error)
        }
    }
}
