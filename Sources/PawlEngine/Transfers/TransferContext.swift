internal import PawlCore
internal import PawlStorage
internal import Synchronization

/// What all transfers of one download share.
struct TransferContext: Sendable {
    let mailbox: Mailbox<DriverMessage>
    let store: StoreBox
    let pulse: CheckpointPulse
    let limits: TransferLimits
    let time: any Timekeeper
    /// Nil where every byte is to go to the file as it comes.
    let smallBodies: SmallBodyBudget?
    let takesServerDigests: Bool
    let control: DownloadControl?
}

/// The download's store, once it is open: network threads look it up before their first write.
final class StoreBox: Sendable {
    private let store = Mutex<PartialStore?>(nil)

    var current: PartialStore? {
        get { store.withLock { $0 } }
        set { store.withLock { $0 = newValue } }
    }
}

/// What wakes a driver.
indirect enum DriverMessage: Sendable {
    case headJudged(TransferID, HeadVerdict, ResponseHead)
    /// A small file came as a whole, and was not shown before.
    case arrived(TransferID, SmallBody)
    /// A small file is still in memory though it should be on disk; its transfer is held.
    case overdue(TransferID, SmallBody)
    /// A small file came in part; it was not shown before.
    case brokeOff(TransferID, SmallBody, TransferEnd)
    case transferEnded(TransferID, TransferEnd, DownloadError?)
    /// A transfer has brought other bytes than are there; it is ending.
    case seamDiffered(TransferID)
    case slotGranted(host: String)
    /// Enough bytes came for a checkpoint.
    case checkpointDue
    /// A sync of what counted in that epoch has ended.
    case synced(epoch: Int, DownloadError?)
    /// After a suspension.
    case released
    /// Of its own, or of all downloads.
    case limitChanged
    case networkChanged(NetworkPath)
    case cancelled
}
