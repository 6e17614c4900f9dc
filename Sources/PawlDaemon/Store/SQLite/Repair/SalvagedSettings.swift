internal import GRDB
internal import PawlCore
internal import PawlWire

/// The settings of the daemon that can be read from a damaged store.
struct SalvagedSettings {
    enum Extent {
        case all
        /// Without those that decide what is possible over TCP.
        case withoutBounds
        case none
    }

    /// The settings, with the defaults of those that are lost.
    private(set) var settings = DaemonSettings()
    private(set) var extent = Extent.none

    init() {}

    /// Reads the settings.
    ///
    /// `isCurrent`: whether no later change may be missing. Otherwise the store may allow over TCP
    /// what the user no longer allows; the same applies if a part of the settings is damaged.
    init(_ queue: DatabaseQueue, isCurrent: Bool) {
        guard let document = try? queue.read({ try StoreTransaction($0).settings.document() })
        else { return }
        let known = Set(DaemonSettings.table.settings.compactMap(\.member))
        let isSound = document.members.isSubset(of: known) && (try? document.settings()) != nil
        extent = isCurrent && isSound ? .all : .withoutBounds
        let kept =
            extent == .all ? document : document.keeping { $0.entries.contains(.network) }
        settings = kept.validSettings
    }

    /// What the log reports.
    var note: String {
        switch extent {
        case .all: "the daemon's settings were kept"
        case .withoutBounds:
            "the daemon's settings were kept, except those of access over TCP, which are lost: "
                + "see 'pawl daemon allow' and 'pawl daemon start --listen'"
        case .none:
            "the daemon's settings are lost: see 'pawl limit', 'pawl daemon allow' and "
                + "'pawl daemon start --listen'"
        }
    }
}
