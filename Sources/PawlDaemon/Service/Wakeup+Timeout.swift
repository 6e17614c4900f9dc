internal import PawlCore

extension Wakeup {
    /// Waits for a wake-up, the cancellation of the task or, if `time` is given, the end of this
    /// time.
    func wait(atMost time: Duration?) async {
        guard let time else { return await wait() }
        guard time > .zero else { return }
        await withTaskGroup { group in
            group.addTask { await self.wait() }
            // Cancelled means that the wake-up was first.
            group.addTask { try? await Task.sleep(for: time) }
            await group.next()
            group.cancelAll()
        }
    }
}
