internal import struct FoundationEssentials.Date
package import PawlCore
package import PawlEngine
internal import PawlStorage
internal import Synchronization
internal import SystemPackage

/// The file in the caches folder in which all of the user's processes keep what their downloads
/// have learned of hosts.
///
/// Nothing depends on it: it can be removed at any time, and if it cannot be read or written, the
/// process remembers by itself. This machine is not remembered.
package final class HostMemoryFile: HostRemembering {
    /// The memory of the process.
    static let shared = HostMemoryFile { (creates) throws(DownloadError) in
        let places = try SystemPlaces.current()
        let folder =
            try creates
            ? places.prepare(.caches, for: "pawl") : places.path(of: .caches, for: "pawl")
        return folder.appending("hosts").string
    }

    private struct State {
        var memory = HostMemory(salt: HostMemoryFile.newSalt)
        /// The version of the file that `memory` contains.
        var stamp: ChangeStamp?
    }

    private let path: @Sendable (_ creates: Bool) throws(DownloadError) -> String
    private let state = Mutex(State())

    /// Creates a memory in the file at a path, which is determined when the file is used.
    ///
    /// `creates`: whether the file is about to be written, so that its folder must exist.
    package init(path: @escaping @Sendable (_ creates: Bool) throws(DownloadError) -> String) {
        self.path = path
    }

    package func record(of path: HostPath) -> HostRecord? {
        guard Self.isRemembered(path) else { return nil }
        return state.withLock { state in
            if let file = try? file(creates: false) { Self.read(file, &state) }
            return state.memory.record(for: Self.key(path, state.memory), at: Self.now)
        }
    }

    package func learn(_ record: HostRecord, of path: HostPath) {
        guard Self.isRemembered(path) else { return }
        var record = record
        record.learnedAt = Self.now
        state.withLock { state in
            guard state.memory.learn(record, for: Self.key(path, state.memory)) else { return }
            guard let file = try? file(creates: true) else { return }
            // A download does not wait for other processes: the next one writes it.
            try? file.exclusively(waits: false) { () throws(DownloadError) in
                Self.read(file, &state)
                // The file may have another salt.
                _ = state.memory.learn(record, for: Self.key(path, state.memory))
                try file.write(state.memory.text(at: Self.now), .replace, survivesPowerCut: false)
                state.stamp = file.stamp
            }
        }
    }

    private func file(creates: Bool) throws(DownloadError) -> PrivateFile {
        let path = try path(creates)
        return PrivateFile(path: path, what: "the memory of hosts", advice: "remove the file")
    }

    /// Adds what other processes have written since the last time.
    private static func read(_ file: PrivateFile, _ state: inout State) {
        let stamp = file.stamp
        guard let stamp, stamp != state.stamp, let text = try? file.read(),
            var memory = HostMemory(text: text, at: now)
        else { return }
        if memory.salt == state.memory.salt { memory.merge(state.memory) }
        state = State(memory: memory, stamp: stamp)
    }

    /// On this machine and without a known network, nothing that was learned applies again.
    private static func isRemembered(_ path: HostPath) -> Bool {
        !path.isLoopback && !path.network.isEmpty
    }

    private static func key(_ path: HostPath, _ memory: HostMemory) -> String {
        let network = path.network.hexadecimal
        return SHA256.shortText(of: "\(memory.salt) \(network) \(path.host)")
    }

    private static var newSalt: String {
        UInt64.random(in: .min ... .max).hexadecimal + UInt64.random(in: .min ... .max).hexadecimal
    }

    private static var now: Int64 { Int64(Date().timeIntervalSince1970) }
}
