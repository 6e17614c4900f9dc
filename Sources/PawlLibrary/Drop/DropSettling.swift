package import PawlCore

/// Decides which files of the drop folder are complete: nobody has them open for writing, and they
/// have not changed for a while.
///
/// It reads no clock.
package struct DropSettling: Sendable {
    private struct Waiting: Hashable, Sendable {
        var stamp: FileStamp
        var since: Moment
    }

    /// The state of a file at one check.
    package struct Check: Hashable, Sendable {
        package var stamp: FileStamp
        /// Whether somebody has the file open for writing; `nil` if the file system cannot tell.
        package var hasWriter: Bool?

        package init(stamp: FileStamp, hasWriter: Bool?) {
            self.stamp = stamp
            self.hasWriter = hasWriter
        }
    }

    /// The factor by which a file must rest longer if it is not known whether it has a writer.
    private static let unsureFactor = 8

    private let rest: Duration
    private var waiting: [ExactText: Waiting] = [:]

    /// Creates the state.
    ///
    /// `rest` is how long a file must stay unchanged.
    package init(rest: Duration) { self.rest = rest }

    package var isIdle: Bool { waiting.isEmpty }

    /// The names of the files to check again.
    package var names: [ExactText] { waiting.keys.sorted() }

    /// Records that something happened to a file.
    package mutating func noted(_ name: ExactText, at now: Moment) {
        guard waiting[name] == nil else { return }
        let unseen = FileStamp(device: 0, inode: 0, size: -1, modified: 0)
        waiting[name] = Waiting(stamp: unseen, since: now)
    }

    /// Takes the results of a check, with `nil` for a file that is gone.
    ///
    /// Returns the complete files, sorted.
    package mutating func checked(_ checks: [ExactText: Check?], at now: Moment) -> [ExactText] {
        var whole: [ExactText] = []
        for (name, check) in checks {
            guard let check else {
                waiting[name] = nil
                continue
            }
            guard let known = waiting[name] else { continue }
            if known.stamp != check.stamp || check.hasWriter == true {
                waiting[name] = Waiting(stamp: check.stamp, since: now)
                continue
            }
            // An empty file may be filled soon by a program that opens it again.
            let isSure = check.hasWriter == false && check.stamp.size > 0
            let needed = isSure ? rest : rest * Self.unsureFactor
            guard now - known.since >= needed else { continue }
            waiting[name] = nil
            whole.append(name)
        }
        return whole.sorted()
    }
}
