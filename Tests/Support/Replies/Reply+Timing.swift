/// Servers and lines that are slow, or break.
extension Reply {
    /// Once so many bytes of the body are sent, ends the connection in that way.
    ///
    /// A reply of `.raw` counts from its first byte. A body that is shorter never gets there.
    package func afterBytes(_ count: Int64, _ ending: Ending) -> Reply {
        marked(count, .end(ending))
    }

    /// Once so many bytes of the body are sent, sends no more and keeps the connection.
    package func stallAfterBytes(_ count: Int64) -> Reply { marked(count, .stall) }

    /// Once so many bytes of the body are sent, sends nothing for so long.
    package func pauseAfterBytes(_ count: Int64, for time: Duration) -> Reply {
        marked(count, .pause(time))
    }

    /// Once so many bytes of the body are sent, sends nothing until the test opens the latch.
    package func holdAfterBytes(_ count: Int64, until latch: Latch) -> Reply {
        marked(count, .hold(latch))
    }

    /// Once so many bytes of the body are sent, runs this on the connection's thread.
    package func afterBytes(_ count: Int64, run body: @escaping @Sendable () -> Void) -> Reply {
        marked(count, .call(body))
    }

    /// Waits so long before it sends anything.
    package func delayHead(_ time: Duration) -> Reply {
        changed { plan, _ in plan.delay += time }
    }

    /// Sends the body at that speed, each response for itself.
    package func rate(_ bytesPerSecond: Int64) -> Reply {
        changed { plan, _ in plan.bytesPerSecond = bytesPerSecond }
    }

    /// Sends the body at a speed that depends on the number of the connection (from 1, over the
    /// whole origin); nil is as fast as it goes.
    package func perConnectionRate(
        _ bytesPerSecond: @escaping @Sendable (_ connection: Int) -> Int64?
    ) -> Reply {
        changed { plan, exchange in
            plan.bytesPerSecond = bytesPerSecond(exchange.request.connection)
        }
    }

    /// Sends the body through a line that all replies with the same one share.
    package func through(_ link: SharedLink) -> Reply { changed { plan, _ in plan.link = link } }

    private func marked(_ count: Int64, _ action: BodyMark.Action) -> Reply {
        changed { plan, _ in plan.marks.append(BodyMark(after: count, action)) }
    }
}
