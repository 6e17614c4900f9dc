import FoundationEssentials
import Logging
import PawlCore
import PawlDaemon
import PawlTesting
import PawlWire
import Testing

@Suite(.timeLimit(.minutes(1)))
struct APIDocumentTests {
    private struct Document: Decodable {
        struct Item: Decodable {}

        var openapi: String
        var paths: [String: [String: Item]]
    }

    @Test func `the document lists exactly the daemon's routes`() async throws {
        let folder = try ScratchFolder()
        let surroundings = PlaceSurroundings(
            variables: [
                "XDG_STATE_HOME": folder.path("state"), "XDG_RUNTIME_DIR": folder.path("run"),
            ],
            homeOfUser: nil,
            user: 0
        )
        let daemon = Daemon(
            places: try DaemonPlaces(surroundings),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        )
        let document = try JSONDecoder().decode(Document.self, from: Data(APIDocument.text.utf8))
        #expect(document.openapi == "3.1.0")
        let told = document.paths.flatMap { path, item in
            item.keys.map { "\($0.uppercased()) \(path)" }
        }
        #expect(Set(told) == (try await daemon.routes()))
        #expect(told.count > 20)
    }

    @Test func `the document gives the methods of each path`() {
        #expect(APIDocument.methods(of: "/v1/downloads") == ["GET", "HEAD", "POST"])
        #expect(APIDocument.methods(of: "/v1/downloads/7") == ["GET", "HEAD"])
        #expect(APIDocument.methods(of: "/v1/downloads/7/resume-data") == ["GET", "HEAD"])
        #expect(APIDocument.methods(of: "/v1/login") == ["POST"])
        #expect(APIDocument.methods(of: "/") == ["GET", "HEAD"])
        #expect(APIDocument.methods(of: "/assets/main.js") == ["GET", "HEAD"])
        #expect(APIDocument.methods(of: "/assets/").isEmpty)
        #expect(APIDocument.methods(of: "/v1/nothing").isEmpty)
        #expect(APIDocument.methods(of: "").isEmpty)
    }
}
