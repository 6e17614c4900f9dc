/// Replies that are slow or break off.
extension Reply {
    /// Ends the connection after `count` bytes of the body.
    ///
    /// A `.raw` reply counts from its first byte. A shorter body never reaches that point.
    package func afterBytes(_ count: Int64, _ ending: Ending) -> Reply {
        marked(count, .end(ending))
    }

    /// Sends no more after `count` bytes of the body, but keeps the connection open.
    package func stallAfterBytes(_ count: Int64) -> Reply { marked(count, .stall) }

    /// Pauses for the given time after `count` bytes of the body.
    package func pauseAfterBytes(_ count: Int64, for time: Duration) -> Reply {
        marked(count, .pause(time))
    }

    /// Pauses after `count` bytes of the body until the test opens the latch.
    package func holdAfterBytes(_ count: Int64, until latch: Latch) -> Reply {
        marked(count, .hold(latch))
    }

    /// Runs a closure on the connection's thread after `count` bytes of the body.
    package func afterBytes(_ count: Int64, run body: @escaping @Sendable () -> Void) -> Reply {
        marked(count, .call(body))
    }

    /// Waits for the given time before it sends anything.
    package func delayHead(_ time: Duration) -> Reply {
        changed { plan, _ in plan.delay += time }
    }

    /// Sends nothing until the test opens the latch.
    package func holdHead(until latch: Latch) -> Reply {
        changed { plan, _ in plan.headLatch = latch }
    }

    /// Sends each body at the given speed.
    package func rate(_ bytesPerSecond: Int64) -> Reply {
        changed { plan, _ in plan.bytesPerSecond = bytesPerSecond }
    }

    /// Sends the body at a speed that depends on the number of the connection (from 1, over the
    /// whole origin).
    ///
    /// `nil` means unlimited.
    package func perConnectionRate(
        _ bytesPerSecond: @escaping @Sendable (_ connection: Int) -> Int64?
    ) -> Reply {
        changed { plan, exchange in
            plan.bytesPerSecond = bytesPerSecond(exchange.request.connection)
        }
    }

    /// Sends the body over a link that several replies share.
    package func through(_ link: SharedLink) -> Reply { changed { plan, _ in plan.link = link } }

    private func marked(_ count: Int64, _ action: BodyMark.Action) -> Reply {
        changed { plan, _ in plan.marks.append(BodyMark(after: count, action)) }
    }
}
