/// What a transaction has returned, and the newest event after its commit.
package struct Committed<Value> {
    package var value: Value
    /// The id of the newest event ever; 0 if there was none.
    package var lastEvent: Int64

    package init(_ value: Value, lastEvent: Int64) {
        (self.value, self.lastEvent) = (value, lastEvent)
    }
}

extension Committed: Sendable where Value: Sendable {}
