/// The events of one download.
package struct WireEvents: Codable, Sendable, Hashable {
    /// The events, oldest first.
    package var events: [WireEvent]
    /// The value of `before` for the earlier events; `nil` if there are none.
    package var next: Int64?

    package init(_ events: [WireEvent], next: Int64? = nil) {
        (self.events, self.next) = (events, next)
    }
}
