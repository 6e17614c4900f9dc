internal import Glibc

/// What a store takes from the system; tests put other things in its place.
package struct StoreSettings: Sendable {
    /// Which boot this is.
    package var boot = BootIdentity.current
    /// Whether partial files have no name before their first claim, where the file system can do
    /// that.
    package var startsUnnamed = true
    /// Whose partial files these are, by which they are found again; `nil` for nobody's in particular.
    package var keeper: String?
    /// Syncs the data behind a descriptor; as `fdatasync`, -1 and `errno` where that fails.
    package var syncData: @Sendable (Int32) -> Int32 = { fdatasync($0) }
    /// Syncs all that is known of a file; as `fsync`.
    package var syncAll: @Sendable (Int32) -> Int32 = { fsync($0) }

    package init() {}
}
