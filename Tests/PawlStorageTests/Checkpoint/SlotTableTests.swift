import PawlStorage
import PawlTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct SlotTableTests {
    @Test func `a checkpoint never overwrites the newest or the synced one`() {
        var random = TestSeed.generator("slots")
        for _ in 0..<500 {
            var table = SlotTable()
            var syncing: UInt64 = 0
            for sequence in 1...UInt64(60) {
                let slot = table.nextSlot
                let victim = table.sequences[slot]
                if victim != 0 {
                    #expect(victim != table.newestSequence)
                    #expect(victim != table.syncedSequence)
                    #expect(victim != syncing)
                }
                table.writeBegan(in: slot)
                table.writeEnded(in: slot, sequence: sequence)
                switch UInt8.random(in: 0..<4, using: &random) {
                case 0 where syncing == 0: syncing = table.syncBegan()
                case 1 where syncing != 0:
                    let before = table.syncedSequence
                    let succeeded = Bool.random(using: &random)
                    table.syncEnded(syncing, succeeded: succeeded)
                    #expect(table.syncedSequence == (succeeded ? syncing : before))
                    syncing = 0
                default: break
                }
            }
        }
    }

    @Test func `a slot torn by a kill is reused first`() {
        let table = SlotTable(sequences: [7, 8, 0, 6], syncedSequence: 6)
        #expect(table.nextSlot == 2)
        #expect(table.newestSequence == 8)
    }

    @Test func `a checkpoint synced before a crash is kept after it`() {
        var table = SlotTable(sequences: [5, 9, 8, 7], syncedSequence: 5)
        for sequence in 10...UInt64(20) {
            let slot = table.nextSlot
            #expect(slot != 0)
            table.writeBegan(in: slot)
            table.writeEnded(in: slot, sequence: sequence)
        }
    }
}
