/// The columns of a progress line and their widths.
package struct ProgressLayout: Sendable, Hashable {
    static let gap = 2
    static let percentWidth = 4
    static let speedWidth = 10
    static let timeWidth = 7
    static let bytesWidth = 13
    static let connectionsWidth = 3

    private static let minimumBarWidth = 10
    private static let maximumBarWidth = 42
    /// The name is shortened to this width before a column is left out.
    private static let minimumNameWidth = 12
    /// For the percentage, the most important figure, the name is shortened further.
    private static let minimumNameWidthBesidePercent = 6

    private(set) var name = 0
    private(set) var bar = 0
    private(set) var hasPercent = false
    private(set) var hasSpeed = false
    private(set) var hasTime = false
    private(set) var hasBytes = false
    private(set) var hasConnections = false

    /// Distributes `width` columns.
    ///
    /// `longestName`: the width of the longest name of all lines that have this layout.
    package init(width: Int, longestName: Int) {
        let wanted = max(1, longestName)
        let floor = min(wanted, Self.minimumNameWidth)
        let width = max(0, width)
        var left = width - floor
        // In the order of importance: the last column is left out first.
        hasPercent =
            left + floor - min(floor, Self.minimumNameWidthBesidePercent)
            >= Self.percentWidth + Self.gap
        if hasPercent { left -= Self.percentWidth + Self.gap }
        hasSpeed = hasPercent && Self.take(Self.speedWidth, from: &left)
        hasTime = hasSpeed && Self.take(Self.timeWidth, from: &left)
        let hasBar = hasTime && Self.take(Self.minimumBarWidth, from: &left)
        hasBytes = hasBar && Self.take(Self.bytesWidth, from: &left)
        hasConnections = hasBytes && Self.take(Self.connectionsWidth, from: &left)

        name = max(0, floor + min(0, left))
        bar = hasBar ? Self.minimumBarWidth : 0
        share(max(0, left), wanted: wanted)
    }

    /// Gives the remaining columns to the name and the bar in equal parts, up to their maximum.
    private mutating func share(_ spare: Int, wanted: Int) {
        let half = bar > 0 ? (spare + 1) / 2 : spare
        let toName = min(wanted - name, half)
        let toBar = bar > 0 ? min(Self.maximumBarWidth - bar, spare - toName) : 0
        bar += toBar
        name = min(wanted, name + spare - toBar)
    }

    /// Takes the width of a column and the gap before it.
    private static func take(_ width: Int, from left: inout Int) -> Bool {
        guard left >= width + gap else { return false }
        left -= width + gap
        return true
    }
}
