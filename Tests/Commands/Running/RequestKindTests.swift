import Glibc
import PawlCore
import PawlTesting
import Testing

/// Requests other than that of a whole file as it is: a method, a body, a part, a compressed file.
@Suite(.timeLimit(.minutes(5)), .serialized)
struct RequestKindTests {
    private let resource = Self.resource(300_000)

    private static func resource(_ size: Int64) -> Resource {
        var resource = Resource(size: size)
        resource.methods = ["GET", "POST", "PUT"]
        return resource
    }

    /// "hello, hello, hello, hello" in gzip.
    private static let gzip: [UInt8] = [
        0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 2, 3, 0xCB, 0x48, 0xCD, 0xC9, 0xC9, 0xD7, 0x51, 0xC8, 0xC0,
        0xA4, 0, 0x55, 0xA3, 0x82, 0x77, 0x1A, 0, 0, 0,
    ]

    private func onlyRequest(_ workshop: Workshop) throws -> RecordedRequest {
        try #require(workshop.origin.requests.count == 1 ? workshop.origin.requests.first : nil)
    }

    @Test func `data is sent as a form, and the response is saved`() async throws {
        let workshop = try Workshop(resource)
        let run = try await workshop.run(workshop.url, "--data", "a=1", "--data", "b=2")
        try expectOnly(Workshop.name, resource, in: workshop, run)
        let request = try onlyRequest(workshop)
        #expect(request.method == "POST")
        #expect(request.body == Array("a=1&b=2".utf8))
        #expect(request["Content-Type"] == "application/x-www-form-urlencoded")
    }

    @Test func `JSON is sent as such, with the user's own fields`() async throws {
        let workshop = try Workshop(resource)
        let arguments = ["-H", "Accept: text/csv", "--json", #"{"a":1}"#, "--method", "PUT"]
        let run = try await workshop.run([workshop.url] + arguments)
        try expectOnly(Workshop.name, resource, in: workshop, run)
        let request = try onlyRequest(workshop)
        #expect(request.method == "PUT")
        #expect(request.body == Array(#"{"a":1}"#.utf8))
        #expect(request["Content-Type"] == "application/json")
        #expect(request["Accept"] == "text/csv")
    }

    @Test func `a body can be that of a file or of standard input`() async throws {
        let workshop = try Workshop(resource)
        try workshop.folder.write("form", "from=file\n")
        _ = try await workshop.run(workshop.url, "--data", "@form")
        let settings = ProcessSettings(input: "from=input")
        _ = try await workshop.run([workshop.url, "--data", "@-"], settings)
        let bodies = ["from=file\n", "from=input"].map { Array($0.utf8) }
        #expect(workshop.origin.requests.map(\.body) == bodies)
    }

    @Test func `the responses to two requests are two files`() async throws {
        let workshop = try Workshop(resource)
        for text in ["a", "b"] { _ = try await workshop.run(workshop.url, "--data", text) }
        #expect(workshop.folder.list() == ["disk.1.iso", "disk.iso"])
        let run = try await workshop.run(workshop.url)
        #expect(run.status == .code(0), "\(run.errors)")
        #expect(workshop.origin.requests.map(\.method).prefix(3) == ["POST", "POST", "GET"])
    }

    @Test func `a request that is not idempotent is sent once`() async throws {
        let workshop = try Workshop(resource)
        workshop.serve(Reply.resource(resource).afterBytes(100_000, .reset))
        let run = try await workshop.run(workshop.url, "--data", "buy=1", "-x", "4")
        #expect(!run.status.isSuccess)
        #expect(workshop.folder.list().isEmpty)
        #expect(try onlyRequest(workshop).method == "POST")
        let again = try Workshop(resource)
        let broken = Reply.resource(resource).afterBytes(100_000, .reset)
        again.serve(broken.from(request: 2, .resource(resource)))
        let put = try await again.run(again.url, "--method", "PUT", "--data", "a")
        try expectOnly(Workshop.name, resource, in: again, put)
    }

    @Test func `nothing makes such a request be sent again`() async throws {
        let slow = try Workshop(resource)
        slow.serve(Reply.resource(resource).rate(5_000))
        let options = [
            "--data", "a", "--min-speed", "1M", "--stall-timeout", BusyMachine.pauseSeconds,
        ]
        expectFailure(.network, try await slow.run([slow.url] + options))
        #expect(try onlyRequest(slow).method == "POST")
        let gone = try Workshop()
        gone.serve(.redirect(to: Workshop.path, status: 307), at: "/start")
        gone.serve(.status(404))
        expectFailure(.notFound, try await gone.run(gone.origin.url("/start"), "--data", "a"))
        #expect(gone.origin.requests.map(\.path) == ["/start", Workshop.path])
    }

    @Test func `an empty body is a body, and two kinds of body are refused`() async throws {
        let workshop = try Workshop(resource)
        _ = try await workshop.run(workshop.url, "--data", "")
        #expect(try onlyRequest(workshop).method == "POST")
        expectFailure(.usage, try await workshop.run(workshop.url, "--data", "a", "--json", "{}"))
        let settings = ProcessSettings(input: workshop.url)
        expectFailure(.usage, try await workshop.run(["-i", "-", "--data", "@-"], settings))
        #expect(workshop.origin.requests.count == 1)
    }

    @Test func `a body in a list replaces that of the command line`() async throws {
        let workshop = try Workshop(resource)
        try workshop.folder.write("list", "\(workshop.url)\n  data=b\n")
        _ = try await workshop.run("-i", "list", "--data", "a")
        #expect(try onlyRequest(workshop).body == Array("b".utf8))
    }

    @Test(arguments: [(303, "GET"), (302, "GET"), (307, "POST"), (308, "POST")])
    func `a redirect keeps the body only where the status says so`(
        status: Int,
        method: String
    ) async throws {
        let workshop = try Workshop(resource)
        workshop.serve(.redirect(to: Workshop.path, status: status), at: "/start")
        let run = try await workshop.run(workshop.origin.url("/start"), "--data", "a=1")
        #expect(run.status == .code(0), "\(run.errors)")
        let last = try #require(workshop.origin.requests.last)
        #expect(last.method == method)
        #expect(last.body == (method == "POST" ? Array("a=1".utf8) : []))
        #expect((last["Content-Type"] == nil) == (method == "GET"))
    }

    @Test(arguments: [(201, "made"), (202, "later"), (204, "")])
    func `another status of success has a response to save`(
        status: Int,
        text: String
    ) async throws {
        let workshop = try Workshop()
        workshop.serve(.status(status, body: text))
        let run = try await workshop.run(workshop.url, "--data", "a=1")
        try expectOnly(Workshop.name, Resource(text: text), in: workshop, run)
    }

    @Test(arguments: [
        ["--method", "HEAD"], ["--method", "a b"], ["--method", "CONNECT"],
        ["--data", "@missing"], ["--data", "a", "--mirror", "https://m.example/"],
        ["--range", "0-9", "--mirror", "https://m.example/"], ["--range", "0-9", "--compressed"],
    ])
    func `what cannot be sent is refused`(options: [String]) async throws {
        let workshop = try Workshop(resource)
        let run = try await workshop.run([workshop.url] + options)
        let codes: [ErrorCode] = [.usage, .fileUnreadable]
        #expect(codes.contains { run.status == .code($0.exitStatus) }, "\(run.errors)")
        #expect(workshop.origin.requests.isEmpty)
    }

    @Test func `a missing file with a pattern of curl in its URL names Pawl's patterns`()
        async throws
    {
        let workshop = try Workshop()
        let run = try await workshop.run(workshop.origin.url("/file[1-10]"))
        expectFailure(.notFound, run)
        #expect(run.errors.contains("a pattern is written {1..10}"), "\(run.errors)")
    }

    @Test func `the body is not shown`() async throws {
        let workshop = try Workshop(resource)
        workshop.serve(.status(404))
        let run = try await workshop.run(workshop.url, "--data", "s3cret", "--verbose")
        #expect(!run.everything.contains("s3cret"))
    }

    // MARK: - Parts

    private func expectPart(
        _ range: ByteRange,
        _ text: String,
        in workshop: Workshop,
        _ options: [String] = []
    ) async throws {
        let run = try await workshop.run([workshop.url, "--range", text] + options)
        let part = Resource(bytes: resource.bytes(range))
        try expectOnly(Workshop.name, part, in: workshop, run)
    }

    @Test(arguments: [
        (ByteRange(0, 1000), "0-999"), (ByteRange(100_000, 300_000), "100000-"),
        (ByteRange(299_999, 300_000), "299999-400000"),
        (ByteRange(50_000, 250_000), "50000-249999"),
    ])
    func `a part of a file is a file`(range: ByteRange, text: String) async throws {
        let workshop = try Workshop(resource)
        try await expectPart(range, text, in: workshop, ["-x", "4"])
        let asked = workshop.origin.requests.compactMap { $0["Range"] }
        #expect(asked.count == workshop.origin.requests.count)
    }

    @Test(arguments: [
        (ByteRange(299_500, 300_000), "-500"), (ByteRange(0, 300_000), "-300000"),
        (ByteRange(0, 300_000), "-400000"), (ByteRange(50_000, 300_000), "-250000"),
    ])
    func `the last bytes of a file are a file`(range: ByteRange, text: String) async throws {
        let workshop = try Workshop(resource)
        try await expectPart(range, text, in: workshop, ["-x", "4"])
        #expect(workshop.origin.requests.first?["Range"] == "bytes=\(text)")
    }

    @Test(arguments: [1, 2])
    func `Ctrl-C ends a request for the last bytes that nobody answers`(
        unanswered: Int
    ) async throws {
        let workshop = try Workshop()
        workshop.serve(Reply.resource(resource).ignoreRange.from(request: unanswered, .never))
        let runner = try workshop.start(
            workshop.url,
            "--range",
            "-500",
            "--stall-timeout",
            "1000"
        )
        await workshop.origin.waitForRequests(unanswered)
        let watch = Stopwatch()
        runner.signal(SIGINT)
        #expect(await runner.waitForExit() == .code(ErrorCode.interrupted.exitStatus))
        // The server is given up only after the time limit of the suite.
        #expect(watch.elapsed < .seconds(90))
        #expect(workshop.origin.requests.count == unanswered)
        #expect(workshop.folder.list().isEmpty)
    }

    @Test func `a request for the last bytes is repeated`() async throws {
        let workshop = try Workshop()
        workshop.serve(Reply.status(503).from(request: 2, .resource(resource)))
        try await expectPart(ByteRange(299_500, 300_000), "-500", in: workshop)
        #expect(workshop.origin.requests.map { $0["Range"] } == ["bytes=-500", "bytes=-500"])
    }

    @Test func `the end of a file is sought in the response that contains it`() async throws {
        let longer = Self.resource(400_000)
        let workshop = try Workshop()
        // It knows no ranges that count from the end, so that its file can become longer.
        workshop.serve(Reply.resource(resource).ignoreRange.from(request: 2, .resource(longer)))
        let run = try await workshop.run(workshop.url, "--range", "-500")
        let end = Resource(bytes: longer.bytes(ByteRange(399_500, 400_000)))
        try expectOnly(Workshop.name, end, in: workshop, run)
        let ranges = ["bytes=-500", "bytes=299500-299999", "bytes=399500-399999"]
        #expect(workshop.origin.requests.map { $0["Range"] } == ranges)
    }

    @Test func `the end of a file that changes all the time is an error`() async throws {
        let workshop = try Workshop()
        workshop.serve(
            .each { exchange in
                let reply = Reply.resource(Self.resource(300_000 + Int64(exchange.ordinal)))
                return exchange.ordinal == 1 ? reply.ignoreRange : reply
            }
        )
        let run = try await workshop.run(workshop.url, "--range", "-500")
        expectFailure(.badResponse, run)
        #expect(run.errors.contains("the size of the file changes"), "\(run.errors)")
        #expect(workshop.folder.list().isEmpty)
        #expect(workshop.origin.requests.count == 4)
    }

    @Test(arguments: [true, false])
    func `the last bytes of two versions of a file are never mixed`(
        hasValidators: Bool
    ) async throws {
        var (old, new) = (Resource(size: 40 << 20), Resource(size: 50 << 20, seed: 2))
        if !hasValidators {
            (old.entityTag, old.lastModified) = (nil, nil)
            (new.entityTag, new.lastModified) = (nil, nil)
        }
        let workshop = try Workshop()
        let broken = Reply.resource(old).afterBytes(12 << 20, .reset)
        workshop.serve(broken.from(request: 2, .resource(new)))
        let run = try await workshop.run(workshop.url, "--range", "-31000000", "-x", "1")
        // Without validators, a failure is right, too.
        #expect(run.status.isSuccess || !hasValidators, "\(run.errors)")
        guard run.status.isSuccess else {
            return #expect(!workshop.folder.list().contains("disk.iso"))
        }
        let end = Resource(bytes: new.bytes(ByteRange((50 << 20) - 31_000_000, 50 << 20)))
        try expectExact("disk.iso", end, in: workshop)
    }

    @Test func `the last bytes of a file of unknown size are an error`() async throws {
        let workshop = try Workshop()
        workshop.serve(Reply.resource(resource).ignoreRange.chunked())
        let run = try await workshop.run(workshop.url, "-r", "-500")
        expectFailure(.badResponse, run)
        #expect(run.errors.contains("does not report the size"), "\(run.errors)")
        #expect(workshop.folder.list().isEmpty)
    }

    @Test func `an interrupted part at the end of a file is resumed`() async throws {
        let resource = Resource(size: 40 << 20)
        let workshop = try Workshop(resource)
        let options = [workshop.url, "--range", "-31000000"]
        let end = Resource(bytes: resource.bytes(ByteRange((40 << 20) - 31_000_000, 40 << 20)))
        let head = Reply.resource(resource)
        workshop.serve(head.afterBytes(12 << 20, .reset))
        let broken = try await workshop.run(options + ["-x", "1", "--retries", "0"])
        #expect(!broken.status.isSuccess)
        workshop.serve(.resource(resource))
        let again = try await workshop.run(options)
        #expect(again.status == .code(0), "\(again.errors)")
        #expect(again.errors.contains("the last"))
        try expectExact("disk.iso", end, in: workshop)
    }

    @Test func `a server without ranges is asked once, and the part is cut out`() async throws {
        let workshop = try Workshop()
        workshop.serve(Reply.resource(resource).ignoreRange)
        try await expectPart(ByteRange(1000, 200_000), "1000-199999", in: workshop, ["-x", "4"])
        #expect(workshop.origin.requests.count == 1)
        let beyond = try await workshop.run(workshop.url, "--range", "300000-", "-o", "beyond")
        expectFailure(.badResponse, beyond)
    }

    @Test(arguments: ["1000-199999", "1000-400000", "1000-"])
    func `a part of a file of unknown length ends with the file at the latest`(
        text: String
    ) async throws {
        let workshop = try Workshop()
        workshop.serve(Reply.resource(resource).ignoreRange.chunked())
        let end: Int64 = text == "1000-199999" ? 200_000 : 300_000
        try await expectPart(ByteRange(1000, end), text, in: workshop)
        #expect(workshop.origin.requests.count == 1)
    }

    @Test func `an interrupted part is resumed, and is not part of another one`() async throws {
        let resource = Resource(size: 40 << 20)
        let workshop = try Workshop(resource)
        let options = [workshop.url, "--range", "1000-31000999"]
        workshop.serve(Reply.resource(resource).afterBytes(12 << 20, .reset))
        let broken = try await workshop.run(options + ["-x", "1", "--retries", "0"])
        #expect(!broken.status.isSuccess)
        workshop.serve(.resource(resource))
        let other = try await workshop.run(workshop.url, "--range", "2000-31001999")
        #expect(other.status == .code(0), "\(other.errors)")
        let second = Resource(bytes: resource.bytes(ByteRange(2000, 31_002_000)))
        try expectExact("disk.1.iso", second, in: workshop)
        let again = try await workshop.run(options)
        #expect(again.status == .code(0), "\(again.errors)")
        #expect(again.errors.contains("the last"))
        let first = Resource(bytes: resource.bytes(ByteRange(1000, 31_001_000)))
        try expectExact("disk.iso", first, in: workshop)
    }

    @Test func `two parts of the same length are two files`() async throws {
        let workshop = try Workshop(resource)
        for text in ["0-999", "1000-1999", "0-999"] {
            #expect(try await workshop.run(workshop.url, "-r", text).status == .code(0))
        }
        #expect(workshop.folder.list() == ["disk.1.iso", "disk.iso"])
        let second = Resource(bytes: resource.bytes(ByteRange(1000, 2000)))
        try expectExact("disk.1.iso", second, in: workshop)
    }

    @Test(arguments: ["", "1", "-", "-0", "--5", "5-4", "a-b", "0-9223372036854775807", "1-2,4-5"])
    func `an invalid range is refused`(text: String) async throws {
        let workshop = try Workshop(resource)
        expectFailure(.usage, try await workshop.run(workshop.url, "--range=\(text)"))
        #expect(workshop.origin.requests.isEmpty)
    }

    @Test func `a part after the end is an error`() async throws {
        let workshop = try Workshop(resource)
        let run = try await workshop.run(workshop.url, "--range", "300000-")
        expectFailure(.badResponse, run)
        #expect(workshop.folder.list().isEmpty)
    }

    // MARK: - Compression

    @Test func `a compressed file is decompressed only if that is allowed`() async throws {
        let workshop = try Workshop()
        workshop.serve(Reply.resource(Resource(bytes: Self.gzip)).contentEncoding("gzip"))
        let run = try await workshop.run(workshop.url, "--compressed", "-x", "4")
        let text = Resource(text: "hello, hello, hello, hello")
        try expectOnly(Workshop.name, text, in: workshop, run)
        #expect(workshop.origin.requests.allSatisfy { $0["Accept-Encoding"] != "identity" })
        let plain = try await workshop.run(workshop.url, "-o", "plain")
        #expect(plain.status == .code(0))
        try expectExact("plain", Resource(bytes: Self.gzip), in: workshop)
        #expect(workshop.origin.requests.last?["Accept-Encoding"] == "identity")
    }

    @Test func `a file that is not compressed is fetched in parts`() async throws {
        let resource = Resource(size: 5_000_000)
        let workshop = try Workshop(resource)
        let run = try await workshop.run(workshop.url, "--compressed", "-x", "4")
        try expectOnly(Workshop.name, resource, in: workshop, run)
        let parts = workshop.origin.requests.filter { $0.range != nil }
        #expect(parts.allSatisfy { $0["Accept-Encoding"] == "identity" })
    }

    @Test func `a compressed body that breaks off is requested again`() async throws {
        let workshop = try Workshop()
        let reply = Reply.resource(Resource(bytes: Self.gzip)).contentEncoding("gzip")
        workshop.serve(reply.afterBytes(12, .reset).from(request: 2, reply))
        let run = try await workshop.run(workshop.url, "--compressed")
        let text = Resource(text: "hello, hello, hello, hello")
        try expectOnly(Workshop.name, text, in: workshop, run)
        #expect(workshop.origin.requests.allSatisfy { $0.range == nil })
    }
}
