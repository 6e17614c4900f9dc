import PawlCore

/// The connection, in the hands of a custom reply; for that reply's thread and time only.
///
/// Every call throws once the client has gone; let the error through.
package struct OriginConnection {
    private let channel: ByteChannel
    private let noteSent: (Int64) -> Void

    init(channel: ByteChannel, noteSent: @escaping (Int64) -> Void) {
        self.channel = channel
        self.noteSent = noteSent
    }

    /// Sends text verbatim: a head, a chunk.
    package func send(_ text: String) throws { try channel.send(Array(text.utf8)) }

    /// Sends bytes verbatim and counts them as content.
    package func send(_ bytes: [UInt8]) throws {
        try channel.send(bytes)
        noteSent(Int64(bytes.count))
    }

    /// Carries out a plan, as another reply made it.
    package func send(_ plan: ResponsePlan, method: String = "GET") throws {
        var writer = ResponseWriter(channel: channel, plan: plan, noteSent: noteSent)
        if try !writer.write(method: method) { throw ConnectionEnd.cut }
    }

    /// Waits until a test opens the latch.
    package func wait(for latch: Latch) throws { try channel.wait(for: latch) }

    /// Waits so long.
    package func wait(_ time: Duration) throws {
        try channel.wait(until: SystemTimekeeper().now() + time)
    }

    /// Waits until the client goes away.
    package func waitForClientToLeave() throws -> Never { try channel.waitForClientToLeave() }

    /// Ends the connection.
    package func end(_ ending: Ending) throws -> Never {
        channel.finish(ending)
        throw ConnectionEnd.cut
    }
}
