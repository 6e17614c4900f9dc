import PawlCore
import PawlTesting
import PawlWire
import Testing

/// A daemon, and a feed on the origin of its workshop.
struct FeedScene: Sendable {
    let scene: DaemonScene
    static let path = "/feed.xml"

    init() throws { scene = try DaemonScene(Workshop()) }

    var origin: ScriptedOrigin { scene.workshop.origin }
    var url: String { origin.url(Self.path) }

    /// The requests for the feed.
    var requests: [RecordedRequest] { origin.requests(to: Self.path) }

    /// An RSS document whose items have these ids, the newest first.
    func document(_ ids: [String]) -> String {
        let items = ids.map { id in
            "<item><title>Episode \(id)</title><guid>\(id)</guid>"
                + "<enclosure url=\"\(origin.url("/\(id).mp3"))\"/></item>"
        }
        return "<rss><channel><title>Show</title>\(items.joined())</channel></rss>"
    }

    func serve(_ ids: String..., at path: String = path) {
        origin.route(path, .status(200, body: document(ids)))
    }

    /// Adds the feed, whose downloads are paused.
    @discardableResult
    func add(_ options: String..., url: String? = nil) async throws -> FinishedProcess {
        try await scene.workshop.run(
            ["feed", "add", url ?? self.url, "--name", "show", "--paused"] + options,
            scene.settings
        )
    }

    @discardableResult
    func check() async throws -> FinishedProcess { try await scene.run("feed", "check", "show") }

    /// The feeds as the daemon shows them.
    func feeds() async throws -> [WireFeed] {
        let run = try await scene.succeed("feed", "list", "--json")
        return try WireJSON.decode([WireFeed].self, from: run.output.utf8)
    }

    func feed() async throws -> WireFeed { try #require(try await feeds().first) }

    /// The names of the files that the downloads request, in the order in which they were added.
    func added() async throws -> [String] {
        try await scene.downloads().compactMap { row in
            row.url.split(separator: "/").last.map(String.init)
        }
    }
}
