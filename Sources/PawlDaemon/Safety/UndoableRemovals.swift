package import PawlWire

/// The removals that a client can undo.
package enum UndoableRemovals: Sendable, Hashable {
    /// Those of everyone.
    case all
    /// Those of one owner.
    case of(DownloadOwner)
    case nothing
}
