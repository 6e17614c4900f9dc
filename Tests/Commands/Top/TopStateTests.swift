import FoundationEssentials
import PawlCLI
import PawlCore
import PawlWire
import Testing

/// What `pawl top` shows, and what its keys do.
@Suite(.timeLimit(.minutes(5)))
struct TopStateTests {
    private func row(
        _ id: Int64,
        _ name: String,
        _ state: TaskState,
        speed: Int64? = nil
    ) -> WireDownload {
        var row = WireDownload(
            id: id,
            state: state,
            name: name,
            url: "http://a.test/\(name)",
            createdAt: Date(timeIntervalSince1970: 0)
        )
        (row.totalBytes, row.bytesPerSecond) = (1000, speed)
        row.completedBytes = state == .finished ? 1000 : 100 * id
        row.path = "/files/\(name)"
        return row
    }

    private var state: TopState {
        var state = TopState()
        state.set([
            row(1, "b.iso", .running, speed: 10), row(2, "a.iso", .running, speed: 20),
            row(3, "c.zip", .paused), row(4, "d.zip", .finished),
        ])
        return state
    }

    private func press(_ keys: String, _ state: inout TopState) -> TopState.Action {
        var action = TopState.Action.nothing
        for key in keys { action = state.handle(.character(key)) }
        return action
    }

    @Test func `the order changes with a key, and the selection stays at its download`() {
        var state = state
        #expect(state.rows.map(\.id) == [1, 2, 3, 4])
        _ = state.handle(.down)
        #expect(state.rows[state.selection(in: state.rows)].id == 2)
        var orders: [[Int64]] = []
        for _ in TopState.Order.allCases {
            _ = state.handle(.character("s"))
            orders.append(state.rows.map(\.id))
            #expect(state.rows[state.selection(in: state.rows)].id == 2)
        }
        #expect(
            orders == [[4, 3, 2, 1], [2, 1, 3, 4], [4, 3, 2, 1], [2, 1, 3, 4], [1, 2, 3, 4]]
        )
    }

    @Test func `a filter is typed, kept and removed`() {
        var state = state
        _ = press("/ZIP", &state)
        #expect(state.rows.map(\.id) == [3, 4])
        // While the filter is typed, letters are not commands.
        #expect(press("q", &state) == .nothing)
        _ = state.handle(.backspace)
        _ = state.handle(.enter)
        #expect(state.rows.map(\.id) == [3, 4])
        #expect(press("q", &state) == .quit)
        _ = state.handle(.escape)
        #expect(state.rows.count == 4)
    }

    @Test func `keys act on the selected download`() {
        var state = state
        #expect(press("p", &state) == .act(.pause, 1))
        #expect(press("jjp", &state) == .act(.resume, 3))
        #expect(press("o", &state) == .nothing)
        #expect(state.message.contains("not finished"))
        #expect(press("jo", &state) == .open("/files/d.zip"))
        #expect(press("x", &state) == .act(.remove, 4))
        #expect(press("u", &state) == .undo)
        #expect(press("c", &state) == .nothing)
        #expect(press("n", &state) == .nothing)
        #expect(press("cy", &state) == .act(.cancel, 4))
    }

    @Test func `when the selected download disappears, the next one is selected`() {
        var state = state
        _ = state.handle(.down)
        _ = press("p", &state)
        state.remove(2)
        #expect(press("p", &state) == .act(.resume, 3))
        state.set([])
        #expect(press("px", &state) == .nothing)
    }

    @Test func `keys are read from the bytes of a terminal`() {
        let bytes = Array("a\u{1B}[A\u{1B}OB\u{1B}[3~\u{1B}[1;5C\u{1B}[5~é\u{7F}\r".utf8)
        #expect(
            TopKey.keys(bytes) == [
                .character("a"), .up, .down, .delete, .pageUp, .character("é"), .backspace, .enter,
            ]
        )
        #expect(TopKey.keys([0x1B]) == [.escape])
        #expect(TopKey.keys(Array("\u{1B}[".utf8)) == [.escape, .character("[")])
        #expect(TopKey.keys([0xFF, 0x61, 0x00]).last == .character("a"))
    }

    @Test(arguments: [(80, 24), (40, 8), (10, 3), (1, 1)])
    func `the screen fits every terminal`(columns: Int, rows: Int) {
        for keys in ["", "?", "/iso", "jjc"] {
            var state = state
            _ = press(keys, &state)
            let screen = TopScreen(style: TerminalStyle(isUnicode: true, hasColours: false))
            let lines = screen.lines(
                state,
                columns: columns,
                rows: rows,
                now: Date(timeIntervalSince1970: 0)
            )
            #expect(lines.count <= rows)
            #expect(lines.allSatisfy { DisplayWidth.of($0) <= max(columns, 2) }, "\(lines)")
        }
    }
}
