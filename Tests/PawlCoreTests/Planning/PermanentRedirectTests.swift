import FoundationEssentials
import PawlCore
import Testing

/// Where permanent redirects lead.
@Suite(.timeLimit(.minutes(5)))
struct PermanentRedirectTests {
    @Test(
        arguments: [
            ([301], "/1"), ([308, 301], "/2"), ([301, 302, 301], "/1"), ([302, 301], nil),
            ([307], nil),
            ([], nil),
        ] as [([Int], String?)]
    )
    func `permanent redirects count up to the first that is temporary`(
        statuses: [Int],
        path: String?
    ) throws {
        let url = try #require(URL(string: "https://host.example/0"))
        var planner = ExchangePlanner(url: url, settings: DownloadSettings(), seed: 1)
        for (index, status) in statuses.enumerated() {
            let head = ResponseHead(url: planner.request.url, status: status)
            _ = planner.redirected(by: head, to: "/\(index + 1)")
        }
        #expect(planner.permanentURL?.path() == path)
        planner.restart()
        #expect(planner.permanentURL == nil)
    }
}
