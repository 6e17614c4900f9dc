internal import CBench
internal import Glibc

/// Many clients of the daemon in one thread, so that they cost the machine little.
///
/// Each request is due at a fixed time, independently of earlier ones. A late response delays the
/// requests after it, and the whole delay counts.
struct LoadGenerator {
    /// The number of connections that are opened before their first responses are awaited: the
    /// daemon limits those that have not shown a token yet.
    private static let mostUnknown = 32

    private let settings: LoadSettings
    private let poll: Int32
    private let requests: [[UInt8]]
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
    /// The connections: first the clients', then the readers'.
    private var connections: [LoadConnection] = []
    private var hasHeardAll: [Bool]
    private var latencies: [Double] = []

    /// Opens all connections, and waits until the daemon has answered each.
    init(_ settings: LoadSettings) throws {
        self.settings = settings
        Self.raiseFileLimit()
        poll = bench_epoll_open()
        guard poll >= 0 else { throw BenchError.system("cannot watch connections") }
        requests = settings.paths.map { Self.request($0, settings.token, settings) }
        hasHeardAll = Array(repeating: false, count: settings.readers)
        for number in 0..<(settings.clients + settings.readers) {
            let connection = try LoadConnection(port: settings.port)
            connections.append(connection)
            guard bench_epoll_add(poll, connection.descriptor, UInt64(number)) == 0 else {
                throw BenchError.system("cannot watch a connection")
            }
            if number < settings.clients {
                connections[number].due.append(.now)
                try connection.send(Self.request("/v1/status", settings.token, settings))
            } else {
                try connection.send(Self.request("/v1/events", settings.readerToken, settings))
            }
            if connections.count % Self.mostUnknown == 0 { try waitForFirstResponses() }
        }
        try waitForFirstResponses()
        latencies = []
    }

    func close() {
        for connection in connections { Glibc.close(connection.descriptor) }
        Glibc.close(poll)
        buffer.deallocate()
    }

    /// Sends requests until every reader has received the end of all downloads.
    mutating func run(since began: Moment) throws -> LoadResult {
        let cpu = Self.cpuSeconds
        let limit = began.advanced(bySeconds: settings.limitSeconds)
        let first = Moment.now
        let pause = settings.clients > 0 ? 1 / Double(settings.clients) : 0.05
        var asked = 0
        while hasHeardAll.contains(false) {
            try Interruption.check()
            guard Moment.now < limit else { throw BenchError("the downloads did not end in time") }
            let due = first.advanced(bySeconds: Double(asked) * pause)
            if Moment.now >= due {
                if settings.clients > 0 { try ask(asked, due) }
                asked += 1
            } else {
                try take(until: due)
            }
        }
        var result = LoadResult(latencies: latencies.sorted())
        result.seconds = Moment.now.seconds(since: began)
        result.progressEvents = connections[settings.clients].count("\nevent: progress")
        result.cpuSeconds = Self.cpuSeconds - cpu
        return result
    }

    // MARK: - Sending requests

    private mutating func ask(_ number: Int, _ due: Moment) throws {
        let client = number % settings.clients
        // Each client sends all kinds of requests in turn.
        let request = requests[(number + number / settings.clients) % requests.count]
        connections[client].due.append(due)
        try connections[client].send(request)
    }

    private mutating func take(until limit: Moment) throws {
        var numbers = [UInt64](repeating: 0, count: 256)
        let left = max(0, limit.nanoseconds - Moment.now.nanoseconds)
        let count = bench_epoll_wait(poll, &numbers, Int32(numbers.count), left)
        guard count > 0 else { return }
        for number in numbers.prefix(Int(count)) { try take(Int(number)) }
    }

    private mutating func take(_ number: Int) throws {
        try connections[number].receive(into: buffer)
        guard number < settings.clients else { return hear(number) }
        while try !connections[number].due.isEmpty && connections[number].takeAnswer() {
            let due = connections[number].due.removeFirst()
            latencies.append(Moment.now.seconds(since: due))
        }
    }

    private mutating func hear(_ number: Int) {
        guard connections[number].count("\nevent: finished") >= settings.downloads else { return }
        hasHeardAll[number - settings.clients] = true
    }

    /// Waits until the daemon has answered all clients and readers that are connected.
    ///
    /// It sends each reader a comment immediately.
    private mutating func waitForFirstResponses() throws {
        let limit = Moment.now.advanced(bySeconds: 20)
        func isAnswered(_ number: Int) -> Bool {
            number < settings.clients
                ? connections[number].due.isEmpty : connections[number].count("\n:") > 0
        }
        while !connections.indices.allSatisfy(isAnswered) {
            try Interruption.check()
            guard Moment.now < limit else { throw BenchError("the daemon does not answer") }
            try take(until: .now.advanced(bySeconds: 0.1))
        }
    }

    // MARK: - Preparation

    private static func request(
        _ path: String,
        _ token: String,
        _ settings: LoadSettings
    ) -> [UInt8] {
        let text = """
            GET \(path) HTTP/1.1\r
            Host: 127.0.0.1:\(settings.port)\r
            Authorization: Bearer \(token)\r
            \r

            """
        return Array(text.utf8)
    }

    private static func raiseFileLimit() {
        var limit = rlimit()
        let kind = __rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue))
        guard getrlimit(kind, &limit) == 0 else { return }
        limit.rlim_cur = min(limit.rlim_max, 16_384)
        // If the limit is too low, a connection fails with an error.
        _ = setrlimit(kind, &limit)
    }

    private static var cpuSeconds: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
