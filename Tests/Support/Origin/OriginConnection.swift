import PawlCore

/// The connection as a custom reply sees it; valid only on that reply's thread and while the reply
/// runs.
///
/// Every call throws after the client disconnects; do not catch that error.
package struct OriginConnection {
    private let channel: ByteChannel
    private let body: RequestBody
    private let noteSent: (Int64) -> Void
    private let noteReceived: ([UInt8]) -> Void

    init(
        channel: ByteChannel,
        body: RequestBody,
        noteSent: @escaping (Int64) -> Void,
        noteReceived: @escaping ([UInt8]) -> Void
    ) {
        self.channel = channel
        self.body = body
        self.noteSent = noteSent
        self.noteReceived = noteReceived
    }

    /// Reads at least one byte of the request's body and at most `count`; returns none at its end.
    ///
    /// Only on a route whose reply reads the body itself.
    package func readBody(atMost count: Int = .max) throws -> [UInt8] {
        let bytes = try body.read(atMost: count)
        noteReceived(bytes)
        return bytes
    }

    /// Reads what is left of the request's body.
    @discardableResult
    package func readWholeBody() throws -> [UInt8] {
        var whole: [UInt8] = []
        while true {
            let bytes = try readBody()
            guard !bytes.isEmpty else { return whole }
            whole += bytes
        }
    }

    /// Sends text verbatim, such as a head or a chunk.
    package func send(_ text: String) throws { try channel.send(Array(text.utf8)) }

    /// Sends bytes verbatim and counts them as content.
    package func send(_ bytes: [UInt8]) throws {
        try channel.send(bytes)
        noteSent(Int64(bytes.count))
    }

    /// Sends the response of a plan that another reply made.
    package func send(_ plan: ResponsePlan, method: String = "GET") throws {
        var writer = ResponseWriter(channel: channel, plan: plan, noteSent: noteSent)
        if try !writer.write(method: method) { throw ConnectionEnd.cut }
    }

    /// Waits until a test opens the latch.
    package func wait(for latch: Latch) throws { try channel.wait(for: latch) }

    /// Waits for the given time.
    package func wait(_ time: Duration) throws {
        try channel.wait(until: SystemTimekeeper().now() + time)
    }

    /// Waits until the client disconnects.
    package func waitForClientToLeave() throws -> Never { try channel.waitForClientToLeave() }

    /// Ends the connection.
    package func end(_ ending: Ending) throws -> Never {
        channel.finish(ending)
        throw ConnectionEnd.cut
    }
}
