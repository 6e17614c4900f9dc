/// A daemon as one of the nodes that share a queue.
package struct StoreNode: Sendable, Hashable {
    /// The id of its row, which changes if it joins again.
    package var id: Int64
    /// Its name, which it keeps: downloads that become local files belong to a name.
    package var name: String

    package init(id: Int64, name: String) { (self.id, self.name) = (id, name) }
}

/// A download that a node has taken.
///
/// Each time that a download is taken or given back, it gets a new epoch. What a run records has an
/// effect only while its download has the epoch of the run (a fencing token).
package struct Ownership: Sendable, Hashable {
    package var download: Int64
    package var epoch: Int64

    package init(download: Int64, epoch: Int64) {
        (self.download, self.epoch) = (download, epoch)
    }
}

/// Another node may have the download by now, so that nothing of this run is recorded.
package struct StaleOwnership: Error, Sendable, Hashable, CustomStringConvertible {
    package var download: Int64

    package init(_ download: Int64) { self.download = download }

    package var description: String { "another node may have taken download \(download)" }
}
