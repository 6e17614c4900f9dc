import Foundation

/// The files and folder that an article's code uses.
struct Sample: Sendable {
    /// The URL of a file of some mebibytes.
    let url: URL
    /// The URL of a small JSON document.
    let latest: URL
    /// The path of an existing folder.
    let folder: String
}

/// The code of one article, run in order.
struct Article: Sendable {
    let name: String
    let run: @Sendable (Sample) async throws -> Void

    /// What runs in the daemon.
    static let background = [Article(name: "BackgroundSessions", run: inTheBackground)]

    static let all = [
        Article(name: "Overview", run: overview),
        Article(name: "GettingStarted", run: gettingStarted),
        Article(name: "ComingFromURLSession", run: comingFromURLSession),
        Article(name: "HowADownloadRuns", run: howADownloadRuns),
        Article(name: "ResumeData", run: resumeData),
        Article(name: "TheLibrary", run: theLibrary),
        Article(name: "ConcurrencyRules", run: concurrencyRules),
        Article(name: "Events", run: events),
        Article(name: "UsingFoundation", run: usingFoundation),
        Article(name: "Recipes", run: recipes),
        Article(name: "TestingWithoutNetwork", run: testingWithoutNetwork),
        Article(name: "Errors", run: errors),
    ]
}
