internal import PawlCore

/// What all transfers of one download share.
struct DownloadContext: Sendable {
    let mailbox = DriverMailbox()
    let store: OpenStore
    let unclaimed: UnclaimedBytes
    let limits: TransferLimits
    let time: any Timekeeper
    /// The memory for small files; `nil` if every byte must be written to the file as it arrives.
    let smallBodies: SmallBodyBudget?
    let takesServerDigests: Bool
    /// Where the reader of the bytes is; `nil` if nobody reads them before the file is complete.
    let reader: ReaderPosition?
    let control: DownloadControl?

    init(_ job: DownloadJob, engine: Engine) {
        store = OpenStore()
        let mailbox = mailbox
        unclaimed = UnclaimedBytes { mailbox.post(.checkpointDue) }
        let own = job.settings.limitBytesPerSecond
        limits = TransferLimits(
            all: engine.limit,
            groups: job.groupLimits,
            own: job.limit ?? RateLimitClock(limitBytesPerSecond: own)
        )
        time = engine.time
        smallBodies = job.takesSmallBodies ? engine.smallBodies : nil
        reader = job.output.map { _ in ReaderPosition() }
        takesServerDigests = job.settings.checksum.takesServers
        control = job.control
    }
}
