/// What a transaction is for, which decides what it may do on a full disk.
package enum WritePurpose: Sendable {
    /// It changes something; it fails without free space.
    case change
    /// It needs space: it fails with `.diskFull` if only the reserve is left.
    case needsRoom
    /// It frees space or ends something: it uses as much of the reserve as it needs.
    case endsSomething
}
