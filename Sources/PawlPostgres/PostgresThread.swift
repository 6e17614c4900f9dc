internal import CPostgres
internal import DequeModule
internal import Glibc
internal import PawlCore

/// The thread of a connection: it sends jobs, and reads their results.
///
/// It waits for the socket and for the inbox only. Nothing that it calls waits for the server or for
/// a name server: `PostgresAttempt` makes the connection.
final class PostgresThread {
    private let address: PostgresAddress
    private let settings: PostgresSettings
    private let inbox: PostgresInbox
    private let report: @Sendable (PostgresConnectionEvent) -> Void
    private let clock = SystemTimekeeper()
    private var link: PostgresLink?
    /// Jobs that are not sent.
    private var waiting: Deque<PostgresJob> = []
    /// Jobs whose results have not all arrived.
    private var sent: Deque<PostgresJob> = []
    private var deadlines: [ObjectIdentifier: Moment] = [:]
    /// The calls that were answered at their deadlines, while the server ran an earlier call.
    private var late: Set<ObjectIdentifier> = []
    /// What has arrived for the first of `sent`, and for the group of statements that it is in.
    private var group = PostgresGroup()
    private var copying: PostgresCopyDriver?
    /// Whether statements are sent whose group has no end yet.
    private var isGroupOpen = false
    /// The request to cancel a call; `nil` if none was sent, or its effect is known.
    private var cancelling: Cancelling?

    private struct Cancelling {
        let answer: PostgresAnswer
        /// When the server must have cancelled the call.
        let limit: Moment
    }

    init(
        _ address: PostgresAddress,
        _ settings: PostgresSettings,
        _ inbox: PostgresInbox,
        _ report: @escaping @Sendable (PostgresConnectionEvent) -> Void
    ) {
        self.address = address
        self.settings = settings
        self.inbox = inbox
        self.report = report
    }

    /// Runs until the connection has ended.
    func run() {
        let error = serve()
        // The server would run the statement to its end, although nobody waits for it.
        if error.kind == .closed, !sent.isEmpty, let cancellation = link?.cancellation() {
            _ = PostgresWorker.start("pawl-cancel") { cancellation.send() }
        }
        link = nil
        inbox.end(with: error, Array(sent) + Array(waiting)) { report(.ended($0)) }
    }

    /// Returns why the connection ended.
    private func serve() -> PostgresError {
        do throws(PostgresError) {
            guard inbox.event >= 0 else {
                throw PostgresError(.failed, "the system has no descriptor left for a connection")
            }
            try waitBeforeConnecting()
            let link = try connect()
            self.link = link
            try prepare(link)
            while true { try turn(link) }
        } catch {
            return error
        }
    }

    // MARK: Connecting

    private func waitBeforeConnecting() throws(PostgresError) {
        let start = clock.now() + settings.delay
        while clock.now() < start {
            try takeJobs()
            wait(for: nil, events: 0, until: min(start, nearestDeadline))
            try checkDeadlinesOfUnsent()
        }
    }

    private func connect() throws(PostgresError) -> PostgresLink {
        let attempt = PostgresAttempt(address, settings) { [inbox] in inbox.wake() }
        guard attempt.start() else {
            throw PostgresError(.failed, "the system has no thread left to make a connection")
        }
        defer { attempt.abandon() }
        while true {
            try takeJobs()
            if let link = try attempt.link() { return link }
            let limit = attempt.limit
            wait(for: nil, events: 0, until: min(limit, nearestDeadline))
            try checkDeadlinesOfUnsent()
            // The attempt may have come to another host.
            if clock.now() >= attempt.limit { throw noAnswer }
        }
    }

    private var noAnswer: PostgresError {
        PostgresError(
            .unreachable,
            "no connection to the database (\(address)): the server does not answer",
            advice: "check that the server runs and that its address is right"
        )
    }

    private func checkDeadlinesOfUnsent() throws(PostgresError) {
        if clock.now() >= nearestDeadline { throw noAnswer }
    }

    private func prepare(_ link: PostgresLink) throws(PostgresError) {
        try link.makeNonBlocking()
        let answer = PostgresAnswer()
        let limit = clock.now() + settings.connectTime
        let job = PostgresJob.script(settings.script, answer, limit)
        deadlines[ObjectIdentifier(answer)] = limit
        waiting.prepend(job)
        inbox.prepares()
        while answer.outcome == nil { try turn(link) }
        guard let results = try answer.outcome?.get() else { return }
        let server = try PostgresServer(results)
        // The address may ask for one.
        if settings.needsPrimary, server.isStandby { throw .standby(at: address) }
        inbox.ready.complete(.success(results))
        report(.connected(server))
    }

    // MARK: The loop

    private func turn(_ link: PostgresLink) throws(PostgresError) {
        try takeJobs()
        try sendJobs(link)
        try copying?.advance(link, at: clock.now())
        let isFull = try link.flush()
        if !isFull, let copying {
            if copying.flushed(at: clock.now()) { return }
            // The server may have answered before the end of the rows.
            if copying.hasEnded { try readResults(link) }
        }
        let events = Int16(POLLIN) | (isFull ? Int16(POLLOUT) : 0)
        let next = min(cancelling?.limit ?? currentDeadline, nearestOtherDeadline)
        if wait(for: link, events: events, until: next) { try receive(link) }
        try enforceDeadlines(link)
    }

    private func takeJobs() throws(PostgresError) {
        let (jobs, isClosed, isCancelSent) = inbox.take()
        if isClosed {
            waiting += jobs
            throw PostgresInbox.isClosed
        }
        for job in jobs {
            if let answer = job.answer {
                deadlines[ObjectIdentifier(answer)] = job.deadline(at: clock.now())
            }
            waiting.append(job)
        }
        if let cancelling, isCancelSent, deadlines[ObjectIdentifier(cancelling.answer)] == nil {
            self.cancelling = nil
            inbox.setCancelSent(false)
        }
    }

    /// Sends the jobs that can be sent now.
    ///
    /// After a request to cancel, nothing is sent until its effect is known: it could cancel what
    /// follows.
    private func sendJobs(_ link: PostgresLink) throws(PostgresError) {
        while cancelling == nil, let job = waiting.first {
            if isGroupOpen, !job.isPipelined {
                inbox.prepares()
                try send(.barrier, link)
            }
            guard sent.isEmpty || job.isPipelined && link.isPipelined else { return }
            waiting.removeFirst()
            if !job.isPipelined, let error = group.takeUnreported() {
                inbox.ended(1, isInTransaction: link.isInTransaction)
                fail(job, error)
            } else {
                try link.setPipelined(job.isPipelined)
                try send(job, link)
            }
        }
    }

    private func send(_ job: PostgresJob, _ link: PostgresLink) throws(PostgresError) {
        sent.append(job)
        switch job {
        case .statement(let statement):
            isGroupOpen = true
            try link.send(statement)
        case .sync, .barrier:
            isGroupOpen = false
            try link.sendSync()
        case .script(let text, _, _): try link.send(script: text)
        case .copy(let rows): try link.send(script: rows.sql)
        }
    }

    /// Fails a script or a COPY that is not sent, because an earlier statement failed.
    private func fail(_ job: PostgresJob, _ error: PostgresError) {
        if case .copy(let rows) = job { rows.fail(error) }
        guard let answer = job.answer else { return }
        forget(answer)
        answer.complete(.failure(error))
    }

    /// Waits for the socket, the inbox or a moment; returns whether the socket is ready.
    @discardableResult
    private func wait(for link: PostgresLink?, events: Int16, until moment: Moment) -> Bool {
        var entries = [pollfd(fd: inbox.event, events: Int16(POLLIN), revents: 0)]
        if let link { entries.append(pollfd(fd: link.socket, events: events, revents: 0)) }
        poll(&entries, nfds_t(entries.count), milliseconds(until: moment))
        return entries.count > 1 && entries[1].revents != 0
    }

    private func milliseconds(until moment: Moment) -> Int32 {
        guard moment != .distantFuture else { return -1 }
        let nanoseconds = max(0, (moment - clock.now()).nanoseconds)
        return Int32(clamping: (nanoseconds + 999_999) / 1_000_000)
    }

    // MARK: Results

    private func receive(_ link: PostgresLink) throws(PostgresError) {
        let isOpen = link.receive()
        try readResults(link)
        while let notification = link.nextNotification() { report(.notified(notification)) }
        if !isOpen { throw group.fatal ?? link.loss }
    }

    private func readResults(_ link: PostgresLink) throws(PostgresError) {
        // libpq may report an end between two statements, after which the next result follows.
        var ends = 0
        while let job = sent.first, !link.isBusy, ends < 3 {
            // libpq would return the beginning of the COPY again and again.
            if let copying, !copying.hasEnded { return }
            guard let raw = link.nextResult() else {
                ends += 1
                if resultsEnded(of: job, link) { ends = 0 }
                continue
            }
            ends = 0
            try received(raw, for: job, link)
        }
    }

    private func received(
        _ raw: OpaquePointer,
        for job: PostgresJob,
        _ link: PostgresLink
    ) throws(PostgresError) {
        switch PQresultStatus(raw) {
        case PGRES_PIPELINE_SYNC:
            PQclear(raw)
            sent.removeFirst()
            if case .sync(let answer, _) = job { return end(answer, link) }
            group.endUnreported()
            inbox.ended(1, isInTransaction: link.isInTransaction)
        case PGRES_COPY_IN:
            PQclear(raw)
            guard case .copy(let rows) = job else { throw Self.isCopy }
            copying = PostgresCopyDriver(rows, at: clock.now())
            forget(rows.answer)
        case PGRES_PIPELINE_ABORTED:
            PQclear(raw)
            group.hasResult = true
        case PGRES_COPY_OUT, PGRES_COPY_BOTH:
            PQclear(raw)
            // libpq would return the same result again and again.
            throw Self.isCopy
        default:
            group.add(raw)
        }
    }

    /// Handles the end of the results of a job; returns whether the job has ended.
    private func resultsEnded(of job: PostgresJob, _ link: PostgresLink) -> Bool {
        switch job {
        case .statement:
            guard group.hasResult else { return false }
            group.hasResult = false
            sent.removeFirst()
            inbox.ended(1, isInTransaction: true)
        case .sync, .barrier:
            // An error of the commit that a sync causes comes before the sync itself.
            return false
        case .script(_, let answer, _):
            sent.removeFirst()
            end(answer, link)
        case .copy(let rows):
            sent.removeFirst()
            copying = nil
            // A statement that is no COPY FROM STDIN ends here, too.
            rows.fail(group.error ?? Self.copyHasEnded)
            end(rows.answer, link)
        }
        return true
    }

    private static let copyHasEnded = PostgresError(.closed, "the COPY has ended")
    private static let isCopy = PostgresError(
        .unusableValue,
        "a statement begins a COPY in a call that cannot carry it out"
    )

    /// Ends a group of statements.
    private func end(_ answer: PostgresAnswer, _ link: PostgresLink) {
        let outcome = group.end(isCancelled: cancelling?.answer === answer)
        forget(answer)
        inbox.ended(1, isInTransaction: link.isInTransaction)
        answer.complete(outcome)
    }

    // MARK: Deadlines

    /// The call that the server runs, or runs next if it runs none.
    private var current: PostgresJob? {
        sent.first { $0.answer != nil } ?? waiting.first { $0.answer != nil }
    }

    /// When the server must have answered the current call.
    private var currentDeadline: Moment {
        if let copying { return copying.deadline }
        guard let current, let answer = current.answer else { return .distantFuture }
        let deadline = deadlines[ObjectIdentifier(answer)] ?? .distantFuture
        guard case .copy(let rows) = current, let end = rows.deadline else { return deadline }
        return min(deadline, end)
    }

    /// The first deadline of the calls behind the current one.
    private var nearestOtherDeadline: Moment {
        guard deadlines.count > late.count else { return .distantFuture }
        let current = current?.answer.map { ObjectIdentifier($0) }
        return deadlines.lazy.filter { $0.key != current && !self.late.contains($0.key) }
            .map(\.value).min() ?? .distantFuture
    }

    /// The first deadline before anything is sent.
    private var nearestDeadline: Moment { min(currentDeadline, nearestOtherDeadline) }

    /// Forgets the deadline of a call that has ended.
    private func forget(_ answer: PostgresAnswer) {
        deadlines[ObjectIdentifier(answer)] = nil
        late.remove(ObjectIdentifier(answer))
    }

    /// Cancels the current call at its deadline, and ends the connection if that has no effect.
    ///
    /// A call behind it is only answered at its deadline: a request to cancel would reach the current
    /// one. It is cancelled when the server has come to it.
    private func enforceDeadlines(_ link: PostgresLink) throws(PostgresError) {
        let now = clock.now()
        if now >= nearestOtherDeadline { answerLateCalls(at: now) }
        if let cancelling {
            if now >= cancelling.limit { throw PostgresGroup.late }
            return
        }
        guard now >= currentDeadline else { return }
        // Nothing runs whose cancellation would help.
        guard !sent.isEmpty, copying == nil, let answer = current?.answer,
            let cancellation = link.cancellation()
        else { throw PostgresGroup.late }
        cancelling = Cancelling(answer: answer, limit: now + settings.cancelTime)
        let inbox = inbox
        let isStarted = PostgresWorker.start("pawl-cancel") {
            cancellation.send()
            inbox.setCancelSent(true)
        }
        if !isStarted { throw PostgresGroup.late }
    }

    /// Answers the calls behind the current one whose deadlines have passed.
    private func answerLateCalls(at now: Moment) {
        let current = current?.answer
        for answer in (sent + waiting).compactMap(\.answer) where answer !== current {
            let name = ObjectIdentifier(answer)
            guard let deadline = deadlines[name], deadline <= now, late.insert(name).inserted else {
                continue
            }
            answer.complete(.failure(PostgresGroup.late))
        }
    }
}
