internal import PawlCore
internal import PawlStorage
internal import Synchronization

/// What all transfers of one download share.
struct DownloadContext: Sendable {
    let mailbox: Mailbox<DriverMessage>
    let store: StoreBox
    let unclaimed: UnclaimedBytes
    let limits: TransferLimits
    let time: any Timekeeper
    /// The memory for small files; `nil` if every byte must be written to the file as it arrives.
    let smallBodies: SmallBodyBudget?
    let takesServerDigests: Bool
    let control: DownloadControl?

    init(_ job: DownloadJob, engine: Engine, _ mailbox: Mailbox<DriverMessage>) {
        self.mailbox = mailbox
        store = StoreBox()
        unclaimed = UnclaimedBytes { mailbox.post(.checkpointDue) }
        let own = job.settings.limitBytesPerSecond
        limits = TransferLimits(
            all: engine.limit,
            group: job.groupLimit,
            own: job.limit ?? RateLimitClock(limitBytesPerSecond: own)
        )
        time = engine.time
        smallBodies = job.takesSmallBodies ? engine.smallBodies : nil
        takesServerDigests = job.settings.checksum == .automatic
        control = job.control
    }
}

/// The download's store, once it is open.
///
/// Network threads look it up before their first write.
final class StoreBox: Sendable {
    private let store = Mutex<PartialStore?>(nil)

    var current: PartialStore? {
        get { store.withLock { $0 } }
        set { store.withLock { $0 = newValue } }
    }
}

/// A message that wakes a driver.
indirect enum DriverMessage: Sendable {
    case headJudged(TransferID, HeadVerdict, ResponseHead)
    /// A small file was received completely, and its bytes were not passed on before.
    case arrived(TransferID, SmallBody)
    /// A small file is still in memory although it should be on disk.
    ///
    /// Its transfer is held.
    case overdue(TransferID, SmallBody)
    /// A small file was received in part, and its bytes were not passed on before.
    case brokeOff(TransferID, SmallBody, TransferEnd)
    case transferEnded(TransferID, TransferEnd, DownloadError?)
    /// A transfer has received bytes that differ from the existing ones.
    ///
    /// It is ending.
    case seamDiffered(TransferID)
    case slotGranted(host: String)
    /// Enough bytes were received for a checkpoint.
    case checkpointDue
    /// A sync of the bytes that counted in that epoch has ended.
    case synced(epoch: Int, DownloadError?)
    /// A suspension has ended.
    case released
    /// The download's own limit, or the limit for all downloads, has changed.
    case limitChanged
    case networkChanged(NetworkPath)
    case cancelled
}
