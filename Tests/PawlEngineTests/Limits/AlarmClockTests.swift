import PawlCore
import PawlEngine
import PawlTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct AlarmClockTests {
    @Test func `each alarm rings once, at the moment set last`() async throws {
        let clock = ManualTimekeeper()
        let alarms = AlarmClock(time: clock)
        let rung = Observed<[Int: Moment]>([:])
        let tickets = (0..<200).map { number in
            alarms.enroll {
                rung.update { rung in
                    #expect(rung[number] == nil)
                    rung[number] = clock.now()
                }
            }
        }
        // Many more settings than alarms: alarms that were set again are queued, too.
        var random = SplitMix64(seed: 15)
        var wanted: [Int: Moment] = [:]
        for _ in 0..<3000 {
            let number = Int.random(in: tickets.indices, using: &random)
            let moment = Moment.zero + .seconds(Int.random(in: 1...50, using: &random))
            alarms.set(tickets[number], at: moment)
            wanted[number] = moment
        }
        for number in stride(from: 0, to: tickets.count, by: 7) {
            alarms.resign(tickets[number])
            wanted[number] = nil
        }
        for number in stride(from: 1, to: tickets.count, by: 7) {
            alarms.set(tickets[number], at: .distantFuture)
            wanted[number] = nil
        }
        #expect(alarms.setCount == wanted.count)
        for moment in Set(wanted.values).sorted() {
            clock.advance(to: moment)
            let due = wanted.filter { $0.value <= moment }
            #expect(await rung.wait { $0.count == due.count } == due)
        }
        #expect(alarms.setCount == 0)
    }
}
