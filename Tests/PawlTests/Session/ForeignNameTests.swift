import Testing

/// Programs with the names of `URLSession` do not compile.
@Suite(.timeLimit(.minutes(5)))
struct ForeignNameTests {
    /// Uses of `URLSession`'s names, and part of the compiler's message.
    private static let uses: [(use: String, message: String)] = [
        ("session.getAllTasks { _ in }", "use 'await session.allTasks'"),
        ("session.getTasksWithCompletionHandler { _, _, _ in }", "use 'await session.allTasks'"),
        ("_ = session.tasks", "use 'await session.allTasks'"),
        (
            "_ = SessionConfiguration.background(withIdentifier: \"films\")",
            "renamed to 'background(identifier:)'"
        ),
        ("_ = DownloadRequest(url: url)", "renamed to 'init(_:)'"),
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
        ("_ = task.countOfBytesReceived", "use 'currentProgress.completedBytes'"),
        ("_ = task.countOfBytesExpectedToReceive", "use 'currentProgress.totalBytes'"),
        ("print(task.progress.fractionCompleted)", "use 'currentProgress.fraction' of the task"),
        ("print(task.currentProgress.fractionCompleted)", "renamed to 'fraction'"),
        ("print(TotalProgress(of: [task]).fractionCompleted)", "renamed to 'fraction'"),
    ]

    @Test func `each name is refused with what to use instead`() async throws {
        var text = DelegateCompiler.header
        for (number, use) in Self.uses.enumerated() {
            text += """
                func use\(number)(_ session: DownloadSession, _ task: DownloadTask, _ url: URL) {
                    \(use.use)
                }

                """
        }
        let (isSuccess, output) = try await DelegateCompiler.compile(text)
        #expect(!isSuccess)
        let lines = output.split(separator: "\n")
        for (number, use) in Self.uses.enumerated() {
            // Each function has three lines, after three of the header.
            let line = "main.swift:\(4 + 3 * number + 1):"
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
