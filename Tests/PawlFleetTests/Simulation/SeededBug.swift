/// A mistake that the simulation has to find.
enum SeededBug: String, CaseIterable, Sendable {
    /// The database accepts writes of an old epoch.
    case noFence
    /// Each attempt at a part has the same number.
    case reusedNumbers
    /// The list of parts is what the store has.
    case listFromStore
    /// The next owner completes an upload with a list of its own.
    case anotherList
    /// The lease is trusted by the wall clock.
    case wallClock
    /// A late request to join replaces the row of a later one.
    case lateJoin
    /// The store's answer decides whether an object is complete.
    case noLookAtObject
    /// A stripe accepts any representation.
    case unprovenStripe
    /// An upload is completed without a condition.
    case unconditional
    /// An expired lease alone makes a node lost.
    case noGrace
    /// A new upload begins before the old one is aborted for certain.
    case hastyAbort

    /// A part of the text of the violation that reveals the mistake.
    var violation: String {
        switch self {
        case .noFence: "old epoch"
        case .reusedNumbers: "replaced a recorded part"
        case .listFromStore: "not all parts"
        case .anotherList: "two lists"
        case .wallClock, .lateJoin: "lease was lost"
        case .noLookAtObject: "without its object"
        case .unprovenStripe: "two representations"
        case .unconditional: "replaced an object"
        case .noGrace: "without trouble of its own"
        case .hastyAbort: "open upload"
        }
    }
}
