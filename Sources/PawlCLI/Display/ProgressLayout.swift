/// Which columns a progress line has, and how wide they are.
package struct ProgressLayout: Sendable, Hashable {
    static let gap = 2
    static let percentWidth = 4
    static let speedWidth = 10
    static let timeWidth = 7
    static let bytesWidth = 13
    static let connectionsWidth = 3

    private static let smallestBar = 10
    private static let largestBar = 42
    /// A name gives way down to this before a column is left out.
    private static let shortestName = 12
    /// Down to this for the percent, the one figure that matters most.
    private static let nameBesidePercent = 6

    private(set) var name = 0
    private(set) var bar = 0
    private(set) var hasPercent = false
    private(set) var hasSpeed = false
    private(set) var hasTime = false
    private(set) var hasBytes = false
    private(set) var hasConnections = false

    /// Lays out `width` columns.
    ///
    /// `longestName` is the widest name of all lines that are to stand below each other.
    package init(width: Int, longestName: Int) {
        let wanted = max(1, longestName)
        let floor = min(wanted, Self.shortestName)
        let width = max(0, width)
        var left = width - floor
        // In the order in which they are missed most: the last one goes first.
        hasPercent =
            left + floor - min(floor, Self.nameBesidePercent) >= Self.percentWidth + Self.gap
        if hasPercent { left -= Self.percentWidth + Self.gap }
        hasSpeed = hasPercent && Self.take(Self.speedWidth, from: &left)
        hasTime = hasSpeed && Self.take(Self.timeWidth, from: &left)
        let hasBar = hasTime && Self.take(Self.smallestBar, from: &left)
        hasBytes = hasBar && Self.take(Self.bytesWidth, from: &left)
        hasConnections = hasBytes && Self.take(Self.connectionsWidth, from: &left)

        name = max(0, floor + min(0, left))
        bar = hasBar ? Self.smallestBar : 0
        share(max(0, left), wanted: wanted)
    }

    /// What is left goes to the name and the bar in equal parts, as far as they can use it.
    private mutating func share(_ spare: Int, wanted: Int) {
        let half = bar > 0 ? (spare + 1) / 2 : spare
        let toName = min(wanted - name, half)
        let toBar = bar > 0 ? min(Self.largestBar - bar, spare - toName) : 0
        bar += toBar
        name = min(wanted, name + spare - toBar)
    }

    /// The gap before the column is taken too.
    private static func take(_ width: Int, from left: inout Int) -> Bool {
        guard left >= width + gap else { return false }
        left -= width + gap
        return true
    }
}
