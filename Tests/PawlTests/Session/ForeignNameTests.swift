import Testing

/// Programs with the names of `URLSession` do not compile.
@Suite(.timeLimit(.minutes(5)))
struct ForeignNameTests {
    /// Uses of `URLSession`'s names, and part of the compiler's message.
    private static let uses: [(use: String, message: String)] = [
        (
            "_ = DownloadSession(configuration: .default, delegate: nil, delegateQueue: .main)",
            "use DownloadSession(_:delegate:), with configuration.delegateExecutor"
        ),
        (
            "_ = DownloadSession(configuration: .default, delegate: nil, delegateQueue: nil)",
            "use DownloadSession(_:delegate:), with configuration.delegateExecutor"
        ),
        ("session.getAllTasks { _ in }", "use 'await session.allTasks'"),
        ("session.getTasksWithCompletionHandler { _, _, _ in }", "use 'await session.allTasks'"),
        ("_ = session.tasks", "use 'await session.allTasks'"),
        (
            "_ = SessionConfiguration.background(withIdentifier: \"films\")",
            "renamed to 'background(identifier:)'"
        ),
        ("_ = DownloadRequest(url: url)", "renamed to 'init(_:)'"),
        ("_ = DownloadRequest(url).httpMethod", "renamed to 'method'"),
        ("_ = DownloadRequest(url).httpBody", "use 'body = Array(data)'"),
        ("Task { _ = try await session.download(from: url) }", "use 'download(_:to:)'"),
        (
            "Task { print(try await session.download(for: DownloadRequest(url))) }",
            "use 'download(_:to:)'"
        ),
        (
            "task.cancel(byProducingResumeData: { _ in })",
            "use 'await cancelByProducingResumeData()'"
        ),
        ("task.cancel { data in print(data as Any) }", "use 'await cancelByProducingResumeData()'"),
        (
            "Task { _ = try await session.download(resumeFrom: Data()) }",
            "use 'download(resuming:)' with 'ResumeData(data:)'"
        ),
        (
            "Task { print(try await session.download(resumeFrom: ResumeData(data: []))) }",
            "use 'download(resuming:)': the returned file"
        ),
        (
            "session.downloadTask(withResumeData: Data()).resume()",
            "use 'try' and 'ResumeData(data: data)'"
        ),
        ("print(task.currentRequest?.url as Any)", "use 'originalRequest', and 'response?.url'"),
        ("task.delegate = nil", "use the task's 'events'"),
        ("_ = task.countOfBytesReceived", "use 'currentProgress.completedBytes'"),
        ("_ = task.countOfBytesExpectedToReceive", "use 'currentProgress.totalBytes'"),
        ("print(task.progress.fractionCompleted)", "use 'currentProgress.fraction' of the task"),
        ("print(task.currentProgress.fractionCompleted)", "renamed to 'fraction'"),
        ("print(TotalProgress(of: [task]).fractionCompleted)", "renamed to 'fraction'"),
        ("_ = DownloadRequest(url).allHTTPHeaderFields", "use 'fields'"),
        ("_ = DownloadRequest(url).timeoutInterval", "use 'adjust { $0.stallTimeout = "),
        ("if task.state == .completed { print(task) }", "use '.finished', '.failed' or"),
        ("if task.state == .canceling { print(task) }", "use '.cancelled'"),
        ("print(task.error?.userInfo as Any)", "use 'resumeData', 'url' or 'cause'"),
    ]

    /// Uses of the forms in which `URLSession` returns results.
    private static let results: [(use: String, message: String)] = [
        (
            "session.downloadTask(with: url) { file, _, _ in print(file as Any) }.resume()",
            "the handler takes one Result"
        ),
        (
            "session.downloadTask(with: DownloadRequest(url)) { _, _, _ in }.resume()",
            "the handler takes one Result"
        ),
        (
            "session.dataTask(with: url) { data, response, error in print(data as Any) }.resume()",
            "the handler takes one Result"
        ),
        (
            "session.dataTask(with: DownloadRequest(url)) { _, _, _ in }.resume()",
            "the handler takes one Result"
        ),
        (
            "Task { let (data, head) = try await session.data(from: url); print(data, head) }",
            "use one value, 'let fetched = ...'"
        ),
        (
            "Task { let (data, _) = try await session.data(for: DownloadRequest(url)); print(data) }",
            "use one value, 'let fetched = ...'"
        ),
    ]

    /// Uses of the properties of `URLSessionConfiguration`, and part of the compiler's message.
    private static let properties: [(use: String, message: String)] = [
        ("allowsCellularAccess = false", "use 'settings.allowsExpensiveNetwork'"),
        ("allowsExpensiveNetworkAccess = false", "use 'settings.allowsExpensiveNetwork'"),
        ("waitsForConnectivity = true", "use 'settings.waitsForConnectivity'"),
        ("httpMaximumConnectionsPerHost = 6", "renamed to 'connectionsPerHost'"),
        ("timeoutIntervalForRequest = 60", "use 'settings.stallTimeout'"),
        ("timeoutIntervalForResource = 7 * 24 * 60", "use 'settings.maximumDuration'"),
        (
            "httpAdditionalHeaders = [\"X-Own\": \"yes\"]",
            "use 'settings.setValue(_:forHTTPHeaderField:)'"
        ),
        ("isDiscretionary = true", "use 'earliestBeginDate' and 'priority' of a task"),
        ("sessionSendsLaunchEvents = true", "use 'relaunchCommand'"),
        ("identifier.map { print($0) }", "use 'kind', which is '.background(identifier:)'"),
    ]

    @Test func `each name and each form is refused with what to use instead`() async throws {
        try await expectRefused(
            Self.uses + Self.results,
            "_ session: DownloadSession, _ task: DownloadTask, _ url: URL"
        )
    }

    @Test func `each property of a configuration is refused`() async throws {
        let uses = Self.properties.map { (use: "configuration.\($0.use)", message: $0.message) }
        try await expectRefused(uses, "_ configuration: inout SessionConfiguration")
    }

    @Test func `a library's resume and remove are refused`() async throws {
        try await expectRefused(
            [
                ("library.resume(\"intro\")", "use 'try library.start(key)'"),
                ("library.remove(\"intro\")", "use 'try await library.delete(key)'"),
            ],
            "_ library: DownloadLibrary",
            "import PawlLibrary\n"
        )
    }

    /// Expects that each use is one error with its message.
    ///
    /// `parameters` are those of the function that contains the use, and `imports` are further lines
    /// of the header.
    private func expectRefused(
        _ uses: [(use: String, message: String)],
        _ parameters: String,
        _ imports: String = ""
    ) async throws {
        var text = DelegateCompiler.header + imports
        let first = text.filter { $0 == "\n" }.count + 1
        for (number, use) in uses.enumerated() {
            text += """
                func use\(number)(\(parameters)) {
                    \(use.use)
                }

                """
        }
        let (isSuccess, output) = try await DelegateCompiler.compile(text)
        #expect(!isSuccess)
        let lines = output.split(separator: "\n")
        for (number, use) in uses.enumerated() {
            // Each function has three lines.
            let line = "main.swift:\(first + 3 * number + 1):"
            let errors = lines.filter { $0.contains(line) && $0.contains("error: ") }
            #expect(errors.count == 1, "\(use.use): \(output)")
            #expect(
                errors.first?.contains("unavailable: ") == true
                    || errors.first?.contains("has been renamed") == true,
                "\(use.use): \(output)"
            )
            #expect(errors.first?.contains(use.message) == true, "\(use.use): \(output)")
        }
    }
}
