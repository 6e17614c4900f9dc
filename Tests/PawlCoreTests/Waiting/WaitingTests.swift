import PawlCore
import PawlTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct WaitingTests {
    @Test func `a wake-up that is sent before the wait ends it`() async {
        let wakeup = Wakeup()
        wakeup.send()
        wakeup.send()
        await wakeup.waitIgnoringCancellation()
        // The second one was the same: the next wait needs another.
        let returned = Observed(false)
        let waiting = Task {
            await wakeup.waitIgnoringCancellation()
            returned.update { $0 = true }
        }
        await Task.yield()
        #expect(!returned.value)
        wakeup.send()
        await waiting.value
    }

    @Test func `cancellation ends a wait unless it is ignored`() async {
        let (wakeup, deaf) = (Wakeup(), Wakeup())
        let waiting = Task { await wakeup.wait() }
        waiting.cancel()
        await waiting.value

        let ended = Observed(false)
        let ignoring = Task {
            await deaf.waitIgnoringCancellation()
            ended.update { $0 = true }
        }
        ignoring.cancel()
        await Task.yield()
        #expect(!ended.value)
        deaf.send()
        await ignoring.value
    }

    @Test func `a mailbox delivers every message once and in order`() async {
        let mailbox = Mailbox<Int>()
        let count = 10_000
        let reading = Task {
            var read: [Int] = []
            while read.count < count {
                await mailbox.waitIgnoringCancellation()
                read += mailbox.take()
            }
            return read
        }
        for number in 0..<count { mailbox.post(number) }
        #expect(await reading.value == Array(0..<count))
        #expect(mailbox.take().isEmpty)
    }

    @Test func `a mailbox wakes its reader without a message`() async {
        let mailbox = Mailbox<Int>()
        mailbox.wake()
        await mailbox.waitIgnoringCancellation()
        #expect(mailbox.take().isEmpty)
        mailbox.post(1)
        await mailbox.wait()
        #expect(mailbox.take() == [1])
    }

    @Test func `the first value completes all that wait, and those that come later`() async {
        let completion = Completion<Int>()
        #expect(completion.value == nil)
        #expect(!completion.isComplete)
        let waiting = (0..<10).map { _ in Task { await completion.waitIgnoringCancellation() } }
        let heeding = (0..<10).map { _ in Task { await completion.wait() } }
        completion.complete(with: 1)
        completion.complete(with: 2)
        for task in waiting { #expect(await task.value == 1) }
        for task in heeding { #expect(await task.value == 1) }
        #expect(await completion.wait() == 1)
        #expect(completion.value == 1)
    }

    @Test func `a cancelled wait returns without a value and leaves the others waiting`() async {
        let completion = Completion<Int>()
        let cancelled = Task { await completion.wait() }
        let waiting = Task { await completion.wait() }
        let ignoring = Task { await completion.waitIgnoringCancellation() }
        cancelled.cancel()
        ignoring.cancel()
        #expect(await cancelled.value == nil)
        completion.complete(with: 3)
        #expect(await waiting.value == 3)
        #expect(await ignoring.value == 3)
    }

    @Test func `a wake-up ends the wait for a value`() async {
        let completion = Completion<Int>()
        let wakeup = Wakeup()
        let waiting = Task { await completion.wait(or: wakeup) }
        wakeup.send()
        #expect(await waiting.value == nil)
        completion.complete(with: 4)
        #expect(await completion.wait(or: wakeup) == 4)
    }

    @Test func `a wait that ignores the cancellation ends only with a wake-up or the value`()
        async
    {
        let (completion, wakeup, executor) = (Completion<Int>(), Wakeup(), ManualExecutor())
        let rounds = Observed(0)
        let waiting = Task(executorPreference: executor) {
            // A wait that heeded the cancellation would return at once, again and again.
            while !completion.isComplete, rounds.value < 100 {
                _ = await completion.waitIgnoringCancellation(or: wakeup)
                rounds.update { $0 += 1 }
            }
        }
        waiting.cancel()
        executor.runTasks()
        #expect(rounds.value == 0)
        wakeup.send()
        executor.runTasks()
        #expect(rounds.value == 1)
        completion.complete(with: 5)
        executor.runTasks()
        await waiting.value
        #expect(rounds.value == 2)
    }

    @Test func `work ends when its token is cancelled or its time is over`() {
        let clock = ManualTimekeeper()
        let (token, timed) = (CancellationToken(), CancellationToken(after: .seconds(2), clock))
        #expect(throws: Never.self) { try token.check() }
        token.cancel()
        #expect(throws: DownloadError.self) { try token.check() }
        #expect(!timed.isLate)
        clock.advance(to: .zero + .seconds(2))
        #expect(timed.isLate)
        #expect(throws: DownloadError.self) { try timed.check() }
    }
}
