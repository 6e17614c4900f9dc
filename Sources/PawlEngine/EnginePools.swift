internal import PawlStorage

/// The threads for blocking calls, which all engines of a process may share.
///
/// The work of an engine waits behind that of others, as that of its downloads does; the limits of
/// each engine are its own.
package struct EnginePools: Sendable {
    let disk = BlockingPool(threads: 4, name: "pawl-disk")
    /// Many syncs wait for the disk at the same time, but seldom: their threads end soon.
    let syncs = BlockingPool(threads: 8, name: "pawl-sync", idleTime: .seconds(1))
    let digests: BlockingPool
    /// Reads the files that are downloaded from this computer.
    let sources = BlockingPool(threads: 2, name: "pawl-source")

    /// Creates pools without starting threads.
    ///
    /// `digestThreads` is normally the number of cores.
    package init(digestThreads: Int) {
        digests = BlockingPool(threads: digestThreads, name: "pawl-digest")
    }
}
