/// Which files of the drop folder are whole: nobody has them open for writing any more, and they have
/// stayed the same for a while.
///
/// Reads no clock.
package struct DropSettling: Sendable {
    private struct Waiting: Hashable, Sendable {
        var stamp: FileStamp
        var since: Moment
    }

    /// What was seen of a file.
    package struct Look: Hashable, Sendable {
        package var stamp: FileStamp
        /// Nil where the file system does not tell.
        package var hasWriter: Bool?

        package init(stamp: FileStamp, hasWriter: Bool?) {
            self.stamp = stamp
            self.hasWriter = hasWriter
        }
    }

    /// Where nobody can tell of writers, a file has to rest for so many times as long.
    private static let patience = 8

    private let rest: Duration
    private var waiting: [String: Waiting] = [:]

    /// `rest`: how long a file has to stay the same.
    package init(rest: Duration) { self.rest = rest }

    package var isIdle: Bool { waiting.isEmpty }

    /// Those to look at again.
    package var names: [String] { waiting.keys.sorted() }

    /// Something happened to that file.
    package mutating func noted(_ name: String, at now: Moment) {
        guard waiting[name] == nil else { return }
        let unseen = FileStamp(device: 0, inode: 0, size: -1, modified: 0)
        waiting[name] = Waiting(stamp: unseen, since: now)
    }

    /// Those that are whole, in order; nil as a look is a file that is gone.
    package mutating func looked(_ looks: [String: Look?], at now: Moment) -> [String] {
        var whole: [String] = []
        for (name, look) in looks {
            guard let look else {
                waiting[name] = nil
                continue
            }
            guard let known = waiting[name] else { continue }
            if known.stamp != look.stamp || look.hasWriter == true {
                waiting[name] = Waiting(stamp: look.stamp, since: now)
                continue
            }
            // An empty file may be about to be filled by a program that opens it again.
            let isSure = look.hasWriter == false && look.stamp.size > 0
            let needed = isSure ? rest : rest * Self.patience
            guard now - known.since >= needed else { continue }
            waiting[name] = nil
            whole.append(name)
        }
        return whole.sorted()
    }
}
