import Foundation

/// What an article's code works with.
struct Sample: Sendable {
    /// A file of some mebibytes.
    let url: URL
    /// A small JSON document.
    let latest: URL
    /// A folder that is there.
    let folder: String
}

/// All code of one article, run in order.
struct Article: Sendable {
    let name: String
    let run: @Sendable (Sample) async throws -> Void

    static let all = [
        Article(name: "Overview", run: overview),
        Article(name: "GettingStarted", run: gettingStarted),
        Article(name: "ComingFromURLSession", run: comingFromURLSession),
        Article(name: "HowADownloadRuns", run: howADownloadRuns),
        Article(name: "ResumeData", run: resumeData),
        Article(name: "TheLibrary", run: theLibrary),
        Article(name: "ConcurrencyRules", run: concurrencyRules),
        Article(name: "Errors", run: errors),
    ]
}
