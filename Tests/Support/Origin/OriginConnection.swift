import PawlCore

/// The connection as a custom reply sees it; valid only on that reply's thread and while the reply
/// runs.
///
/// Every call throws after the client disconnects; do not catch that error.
package struct OriginConnection {
    private let channel: ByteChannel
    private let noteSent: (Int64) -> Void

    init(channel: ByteChannel, noteSent: @escaping (Int64) -> Void) {
        self.channel = channel
        self.noteSent = noteSent
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
