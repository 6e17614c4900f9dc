import PawlCore
import Testing

@Suite(.timeLimit(.minutes(1)))
struct StartQueueTests {
    /// All that may begin now, in this order.
    private func expectNext(
        _ expected: [Int],
        _ queue: inout StartQueue<Int>,
        at now: Moment = .zero,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        var all: [Int] = []
        while let id = queue.next(at: now) { all.append(id) }
        #expect(all == expected, sourceLocation: sourceLocation)
    }

    @Test func `in the order of coming`() {
        var queue = StartQueue<Int>(limit: 100)
        for id in 1...20 { queue.add(id, now: .zero) }
        expectNext(Array(1...20), &queue)
        #expect(queue.isEmpty)
    }

    @Test func `one that lends its place lets another begin, and then there are more`() {
        var queue = StartQueue<Int>(limit: 1)
        for id in 1...4 { queue.add(id, now: .zero) }
        expectNext([1], &queue)
        let lends = queue.lends()
        #expect(lends)
        expectNext([2], &queue)
        queue.tookBack()
        #expect(queue.runningCount == 2)
        queue.gaveBack()
        expectNext([], &queue)
        queue.gaveBack()
        expectNext([3], &queue)
    }

    @Test func `only so many lend their places`() {
        var queue = StartQueue<Int>(limit: 1)
        let most = StartQueue<Int>.mostLent
        for id in 0...most + 1 { queue.add(id, now: .zero) }
        for id in 0..<most {
            expectNext([id], &queue)
            let lends = queue.lends()
            #expect(lends)
        }
        expectNext([most], &queue)
        let lends = queue.lends()
        #expect(!lends)
        expectNext([], &queue)
    }

    @Test func `no more at a time than allowed`() {
        var queue = StartQueue<Int>(limit: 2)
        for id in 1...4 { queue.add(id, now: .zero) }
        expectNext([1, 2], &queue)
        queue.gaveBack()
        expectNext([3], &queue)
    }

    @Test func `the most urgent first, also where that changes`() {
        var queue = StartQueue<Int>(limit: 100)
        queue.add(1, priority: .low, now: .zero)
        queue.add(2, now: .zero)
        queue.add(3, priority: .high, now: .zero)
        queue.add(4, now: .zero)
        queue.setPriority(1, .high)
        queue.setPriority(2, .low)
        expectNext([1, 3, 4, 2], &queue)
    }

    @Test func `not before its date`() {
        var queue = StartQueue<Int>(limit: 100)
        let later = Moment.zero + .seconds(10)
        queue.add(1, notBefore: later + .seconds(5), now: .zero)
        queue.add(2, notBefore: later, now: .zero)
        queue.add(3, now: .zero)
        expectNext([3], &queue)
        #expect(queue.nextDate == later)
        expectNext([2], &queue, at: later)
        queue.setPriority(1, .high)
        expectNext([], &queue, at: later)
        expectNext([1], &queue, at: later + .seconds(5))
    }

    @Test func `what was taken out does not come`() {
        var queue = StartQueue<Int>(limit: 100)
        for id in 1...3 { queue.add(id, now: .zero) }
        let removals = [queue.remove(2), queue.remove(2)]
        #expect(removals == [true, false])
        // The same one again, behind the others.
        queue.remove(1)
        queue.add(1, now: .zero)
        expectNext([3, 1], &queue)
    }
}
