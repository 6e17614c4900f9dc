internal import Glibc

/// The system functions that a store uses; tests replace them.
package struct StoreSettings: Sendable {
    /// The current boot.
    package var boot = BootIdentity.current
    /// Whether partial files have no name before their first claim, if the file system supports
    /// that.
    package var startsUnnamed = true
    /// The owner of the partial files, by which they are found again; `nil` for no particular one.
    package var queueIdentity: String?
    /// Syncs the data of a descriptor like `fdatasync`: -1 and `errno` on failure.
    package var syncData: @Sendable (Int32) -> Int32 = { fdatasync($0) }
    /// Syncs all data and metadata of a file, like `fsync`.
    package var syncAll: @Sendable (Int32) -> Int32 = { fsync($0) }

    package init(queueIdentity: String? = nil) { self.queueIdentity = queueIdentity }
}
