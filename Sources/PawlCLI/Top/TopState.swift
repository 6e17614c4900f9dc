package import PawlCore
package import PawlWire

/// What `pawl top` shows: the downloads, their order and the selected one.
package struct TopState: Sendable {
    /// The order of the downloads.
    package enum Order: String, CaseIterable, Sendable {
        case queue, newest, name, progress, speed
    }

    /// What a key asks for.
    package enum Action: Hashable, Sendable {
        case nothing
        case quit
        case act(QueueAction, Int64)
        case open(String)
        case undo
    }

    package private(set) var order = Order.queue { didSet { arranged = nil } }
    /// Only downloads whose name contains this text, ignoring case.
    package private(set) var filter = "" { didSet { arranged = nil } }
    /// Whether typed characters change the filter.
    package private(set) var isTypingFilter = false
    package private(set) var showsHelp = false
    /// The download whose cancellation is to be confirmed.
    package private(set) var asksFor: WireDownload?
    /// The last result or problem.
    package var message = ""
    /// The number of rows that are visible.
    package var pageRows = 10
    private var downloads: [Int64: WireDownload] = [:] { didSet { arranged = nil } }
    /// The rows in their order; `nil` if they have changed.
    private var arranged: [WireDownload]?
    private var selected: Int64?
    /// The position of the selected download, which its successor takes when it goes.
    private var position = 0

    package init() {}

    // MARK: - Downloads

    package mutating func set(_ rows: [WireDownload]) {
        downloads = Dictionary(rows.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
        if selected == nil { selected = self.rows.first?.id }
    }

    package mutating func update(_ row: WireDownload) { downloads[row.id] = row }

    package mutating func remove(_ id: Int64) { downloads[id] = nil }

    package mutating func take(_ progress: WireProgress) {
        for row in progress.downloads { downloads[row.id]?.take(row) }
    }

    /// Keeps the rows in their order until they change.
    package mutating func arrange() { arranged = rows }

    /// The downloads that the filter lets through, in their order.
    package var rows: [WireDownload] { arranged ?? sorted }

    private var sorted: [WireDownload] {
        let wanted = filter.lowercased()
        let found = downloads.values.filter {
            wanted.isEmpty || $0.name.lowercased().contains(wanted)
        }
        switch order {
        case .queue: return found.inQueueOrder
        case .newest: return found.sorted { $0.id > $1.id }
        case .name: return found.sorted { ($0.name, $0.id) < ($1.name, $1.id) }
        case .progress: return found.sorted { (Self.share($0), $1.id) > (Self.share($1), $0.id) }
        case .speed:
            return found.sorted {
                ($0.bytesPerSecond ?? 0, $1.id) > ($1.bytesPerSecond ?? 0, $0.id)
            }
        }
    }

    private static func share(_ row: WireDownload) -> Double {
        if row.state == .finished { return 1 }
        guard let total = row.totalBytes, total > 0 else { return 0 }
        return Double(row.completedBytes) / Double(total)
    }

    /// The number of downloads in each state, and their speed together.
    package var summary: (counts: [(TaskState, Int)], bytesPerSecond: Int64) {
        var counts: [TaskState: Int] = [:]
        var speed: Int64 = 0
        for row in downloads.values {
            counts[row.state, default: 0] += 1
            if row.state == .running { speed = speed.saturatingAdd(row.bytesPerSecond ?? 0) }
        }
        return (TaskState.allCases.compactMap { state in counts[state].map { (state, $0) } }, speed)
    }

    /// The index of the selected download in `rows`; 0 if there are none.
    package func selection(in rows: [WireDownload]) -> Int {
        let index = selected.flatMap { id in rows.firstIndex { $0.id == id } }
        return index ?? max(0, min(position, rows.count - 1))
    }

    // MARK: - Keys

    package mutating func handle(_ key: TopKey) -> Action {
        message = ""
        if let row = asksFor {
            asksFor = nil
            return key == .character("y") ? .act(.cancel, row.id) : .nothing
        }
        if isTypingFilter {
            type(key)
            return .nothing
        }
        if showsHelp {
            showsHelp = false
            return .nothing
        }
        switch key {
        case .up, .character("k"): move(by: -1)
        case .down, .character("j"): move(by: 1)
        case .pageUp: move(by: -pageRows)
        case .pageDown: move(by: pageRows)
        case .home: move(by: -rows.count)
        case .end: move(by: rows.count)
        case .character("s"): turnOrder()
        case .character("/"): isTypingFilter = true
        case .escape: filter = ""
        case .character("?"), .character("h"): showsHelp = true
        case .character("q"): return .quit
        case .character("u"): return .undo
        default: return handle(key, on: rows)
        }
        return .nothing
    }

    private mutating func type(_ key: TopKey) {
        switch key {
        case .character(let character): filter.append(character)
        case .backspace: filter = String(filter.dropLast())
        case .enter: isTypingFilter = false
        case .escape: (filter, isTypingFilter) = ("", false)
        default: break
        }
    }

    private mutating func move(by count: Int) {
        let rows = rows
        guard !rows.isEmpty else { return }
        let index = min(max(0, selection(in: rows) + count), rows.count - 1)
        (selected, position) = (rows[index].id, index)
    }

    private mutating func turnOrder() {
        let orders = Order.allCases
        let index = orders.firstIndex(of: order) ?? 0
        order = orders[(index + 1) % orders.count]
    }

    /// Handles a key that concerns the selected download.
    private mutating func handle(_ key: TopKey, on rows: [WireDownload]) -> Action {
        guard !rows.isEmpty else { return .nothing }
        position = selection(in: rows)
        let row = rows[position]
        switch key {
        case .character("p"), .character(" "):
            let isStopped = row.state == .paused || row.state == .suspended || row.state.isEnd
            return .act(isStopped ? .resume : .pause, row.id)
        case .character("r"): return .act(.resume, row.id)
        case .character("t"): return .act(.moveFirst, row.id)
        case .character("b"): return .act(.moveLast, row.id)
        case .character("x"), .delete: return .act(.remove, row.id)
        case .character("c"): asksFor = row
        case .character("o"), .enter:
            guard row.state == .finished, let path = row.path else {
                message = "\(row.name): not finished yet"
                return .nothing
            }
            return .open(path)
        default: break
        }
        return .nothing
    }
}
