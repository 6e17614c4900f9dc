/// What a transaction is for, which decides what it may do on a full disk.
package enum WritePurpose: Sendable {
    /// It changes something; it fails without free space.
    case change
    /// The same, and it can be repeated: if its outcome is not known, its caller repeats it or does
    /// without it, and the daemon continues.
    case repeatable
    /// It needs space: it fails with `.diskFull` if only the reserve is left.
    case needsRoom
    /// It finds out whether something can be written; whether it takes effect does not matter.
    case check
    /// It frees space or ends something: it uses as much of the reserve as it needs.
    case endsSomething
    /// The same, and it can be repeated like ``repeatable``.
    case repeatableEnd

    /// Whether the daemon can continue if the outcome is not known.
    var allowsUnknownOutcome: Bool {
        switch self {
        case .repeatable, .check, .repeatableEnd: true
        case .change, .needsRoom, .endsSomething: false
        }
    }
}
