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

/// What a transaction is for, which decides what it may do on a full disk.
package enum WritePurpose: Sendable {
    /// It changes something; it fails without free space.
    case change
    /// It needs space: it fails with `.diskFull` if only the reserve is left.
    case needsRoom
    /// It frees space or ends something: it uses as much of the reserve as it needs.
    case endsSomething
}
