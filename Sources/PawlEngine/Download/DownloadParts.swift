internal import struct FoundationEssentials.URL
internal import Logging
internal import PawlCore

/// The parts of one download that its driver shares with the lane for small files.
final class DownloadParts: Sendable {
    let job: DownloadJob
    let engine: Engine
    let monitor: DownloadMonitor
    let context: DownloadContext
    let slots: DownloadSlots
    let stop: CancellationToken
    let resolver: TargetResolver
    let requests: DownloadRequests
    let finisher: FileFinisher
    private let requestedHosts = RequestedHosts()
    /// The Metalink that the server names for the file.
    let metalink: ServerMetalink
    let logger: Logger

    init(_ job: DownloadJob, _ engine: Engine, _ monitor: DownloadMonitor) {
        (self.job, self.engine, self.monitor) = (job, engine, monitor)
        context = DownloadContext(job, engine: engine)
        slots = DownloadSlots(
            engine.budgets,
            context.limits,
            job.settings.connection.httpVersion
        )
        stop = CancellationToken(after: job.settings.maximumDuration, engine.time)
        resolver = TargetResolver(job, engine, stop)
        requests = DownloadRequests(job, engine: engine, limits: context.limits)
        var logger = engine.logger
        logger[metadataKey: "url"] = .stringConvertible(ShownURL(url: job.url))
        self.logger = logger
        finisher = FileFinisher(
            job,
            engine: engine,
            requestedHosts: requestedHosts,
            stop: stop,
            logger: logger
        )
        metalink = ServerMetalink(job, engine, logger)
    }

    var mailbox: DriverMailbox { context.mailbox }

    /// Returns where the bytes go, after the lane has `found` a file or has looked for none.
    func target(
        found: Result<TargetResolver.Found, DownloadError>?
    ) -> ByteTarget {
        job.target ?? ByteTarget(opening: FileOpening(self, found: found), finishing: finisher)
    }

    /// Begins the download: what its control and its slots report becomes a message.
    func begin() {
        let (mailbox, stop, work) = (mailbox, stop, job.target?.work)
        job.control?.attach { message in
            guard case .cancelled = message else { return mailbox.post(message) }
            stop.cancel()
            mailbox.post(message)
            work?.stop()
        }
        monitor.began(job)
        slots.enroll { mailbox.post(.slotGranted(host: $0)) }
    }

    /// Ends what the target waits for when the time limit has passed; returns the alarm.
    func limitWaits() -> AlarmClock.Ticket {
        let work = job.target?.work
        let ticket = engine.alarms.enroll { work?.stop() }
        if work != nil, let deadline = stop.deadline { engine.alarms.set(ticket, at: deadline) }
        return ticket
    }

    /// Ends the download, however it ended.
    func end() {
        slots.resign()
        job.control?.detach()
    }

    /// Ends the download as soon as possible, and keeps the bytes received so far.
    func cancel() {
        stop.cancel()
        mailbox.post(.cancelled)
        job.target?.work?.stop()
    }

    /// Returns what passes the bytes on to the job's output; `nil` if they become a file.
    func feed(_ digests: FileDigester) -> OutputFeed? {
        guard let output = job.output, let reader = context.reader else { return nil }
        let (passing, mailbox) = (OutputPassing(output, reader, digests, stop), mailbox)
        return OutputFeed(passing, digests, pool: engine.choices) { failure in
            mailbox.post(.outputMoved(failure))
        }
    }

    /// Starts a transfer.
    func start(_ planned: PlannedTransfer, _ cursor: TransferCursor) -> any Transfer {
        logger.debug(
            """
            \(planned.id) requests \(planned.range?.description ?? "all") \
            of \(planned.url.redacted)
            """
        )
        if job.settings.connection.netrcFile != nil { requestedHosts.note(planned) }
        monitor.bytes.opened(planned.id, cursor, from: planned.url)
        let sink = SegmentSink(planned: planned, cursor: cursor, context: context)
        var request = requests.request(for: planned)
        slots.share(&request, for: planned)
        return requests.start(request, sink: sink)
    }

    /// Records what a response contains besides the bytes: a Metalink, and that its host serves requests,
    /// perhaps over shared connections.
    func note(_ head: ResponseHead) {
        metalink.note(head)
        if head.status < 400 { engine.budgets.answered(HostBudget.name(of: head.url)) }
        guard !head.protocolVersion.hasPrefix("HTTP/1") else { return }
        engine.budgets.noteMultiplexing(HostBudget.name(of: head.url))
    }

    /// Returns the other sources of the file that its server has named.
    func mirrors(in head: ResponseHead) -> [URL] {
        let settings = job.settings
        guard settings.usesServerMirrors, settings.asksForFile, settings.range == nil else {
            return []
        }
        return ServerMirrors.parse(head)
    }
}
