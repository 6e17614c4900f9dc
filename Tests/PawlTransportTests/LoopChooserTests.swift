import PawlTransport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct LoopChooserTests {
    @Test func `the least loaded loop gets the transfer`() {
        var chooser = LoopChooser()
        #expect(chooser.choose(for: "http://a", loads: [2, 1, 3], idle: [0, 0, 0]) == 1)
        #expect(chooser.choose(for: "http://a", loads: [0, 1, 3], idle: [0, 0, 0]) == 0)
    }

    @Test func `among equal loops the last one to serve the origin gets it`() {
        var chooser = LoopChooser()
        #expect(chooser.choose(for: "http://a", loads: [1, 0], idle: [0, 0]) == 1)
        #expect(chooser.choose(for: "http://b", loads: [0, 0], idle: [0, 0]) == 0)
        #expect(chooser.choose(for: "http://a", loads: [0, 0], idle: [0, 0]) == 1)
        #expect(chooser.choose(for: "http://a", loads: [0, 1], idle: [0, 0]) == 0)
    }

    @Test func `old origins are forgotten when there are many`() {
        var chooser = LoopChooser()
        _ = chooser.choose(for: "http://a", loads: [1, 0], idle: [0, 0])
        for number in 0..<2_000 {
            _ = chooser.choose(for: "http://\(number)", loads: [0, 0], idle: [0, 0])
        }
        #expect(chooser.choose(for: "http://a", loads: [0, 0], idle: [0, 0]) == 0)
    }

    @Test func `a loop with an idle connection to the origin gets it, however busy`() {
        var chooser = LoopChooser()
        #expect(chooser.choose(for: "http://a", loads: [3, 0], idle: [1, 0]) == 0)
        #expect(chooser.choose(for: "http://a", loads: [3, 0, 2], idle: [1, 0, 1]) == 2)
    }
}
