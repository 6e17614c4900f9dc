/// The content of a text file that several processes may change.
///
/// Each process applies only its own changes: what another one has written meanwhile stays.
package protocol SharedFileContent: Equatable, Sendable {
    /// The values of a process at one moment.
    associatedtype Snapshot: Equatable, Sendable

    /// The maximum size of a file.
    static var mostBytes: Int { get }

    /// Reads a text, without the values that have expired.
    init(_ text: String, at now: Int64)

    /// Whether a text has the form of the file, so that it may be replaced.
    static func isValid(_ text: String) -> Bool

    /// The text of the file.
    var text: String { get }

    /// Applies the changes that turned `before` into `after`.
    mutating func apply(from before: Snapshot, to after: Snapshot, at now: Int64)
}

extension SharedFileContent {
    /// Returns the text of a file after the changes that turned `before` into `after`.
    ///
    /// It is `nil` if they change nothing.
    package static func text(
        changing old: String,
        from before: Snapshot,
        to after: Snapshot,
        at now: Int64
    ) -> String? {
        let old = Self(old, at: now)
        var new = old
        new.apply(from: before, to: after, at: now)
        return new == old ? nil : new.text
    }
}

extension Dictionary where Value: Equatable {
    /// Applies the changes that turned `before` into `after`; all other entries stay.
    mutating func applyChanges(from before: Self, to after: Self) {
        for key in Set(before.keys).union(after.keys) where before[key] != after[key] {
            self[key] = after[key]
        }
    }
}
