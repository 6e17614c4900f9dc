/// Which call of a program fails, and how: the environment that the fault shim reads.
package struct FaultPlan: Sendable {
    /// Calls that the shim can count and fail; `rename` and `renameat2` count as one.
    ///
    /// An `attribute` that is written is told by its own name, not by its file's.
    package enum Call: String, Sendable, CaseIterable {
        case open, write, pwrite, fdatasync, fsync, ftruncate, fallocate, rename, link, unlink
        case attribute
    }

    package enum Action: Sendable {
        /// The call fails with that number and does nothing.
        case fail(Int32)
        /// A write takes only half of its bytes; other calls are left alone.
        case short
        /// The process is killed before the call.
        case killBefore
        /// The process is killed after the call.
        case killAfter
    }

    /// What is counted; empty counts all.
    package var calls: Set<Call>
    package var action: Action
    /// Which of the counted calls it is, from 1, over all threads; 0 counts only.
    package var number: Int
    /// On, all later ones fare likewise: a disk that stays full.
    package var persists = false
    /// On, the process is killed at the next counted call after the one that failed.
    package var thenKills = false
    /// Only calls on files whose path holds this text, or on attributes whose name does, are counted; empty
    /// is all.
    package var path = ""
    /// Where the counts are written when the program ends by itself.
    package var countFile: String?

    package init(_ action: Action, at number: Int, of calls: Set<Call> = []) {
        self.action = action
        self.number = number
        self.calls = calls
    }

    /// Counts only, to know how many calls there are to fail.
    package static func counting(_ calls: Set<Call> = [], into file: String) -> FaultPlan {
        var plan = FaultPlan(.short, at: 0, of: calls)
        plan.countFile = file
        return plan
    }

    /// For `ProcessSettings.environment`, with the path of the shim's library.
    package func environment(library: String) -> [String: String?] {
        let names = calls.map(\.rawValue).sorted().joined(separator: "+")
        let suffix = persists ? ":persists" : thenKills ? ":then-kill" : ""
        return [
            "LD_PRELOAD": library,
            "PAWL_FAULT": "\(names.isEmpty ? "any" : names):\(actionText):\(number)\(suffix)",
            "PAWL_FAULT_PATH": path.isEmpty ? nil : path,
            "PAWL_FAULT_COUNT": countFile,
        ]
    }

    private var actionText: String {
        switch action {
        case .fail(let number): "\(number)"
        case .short: "short"
        case .killBefore: "kill"
        case .killAfter: "kill-after"
        }
    }
}
