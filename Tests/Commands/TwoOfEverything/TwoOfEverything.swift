import PawlCore
import PawlTesting
import Testing

/// Two of everything, at the same time and one after the other.
///
/// The tests for tasks and sessions of one process are in `Tests/PawlTests/TwoOfEverything`.
@Suite(.timeLimit(.minutes(5)), .serialized)
enum TwoOfEverything {}

extension Workshop {
    /// Files of one name that are different, each under a path of its own.
    func serveOneName(_ resources: [Resource], until latch: Latch? = nil) {
        for (number, resource) in resources.enumerated() {
            let reply = Reply.resource(resource)
            serve(
                latch.map { reply.holdAfterBytes(10 << 20, until: $0) } ?? reply,
                at: "/\(number)/disk.iso"
            )
        }
    }

    func urlOfOneName(_ number: Int) -> String { origin.url("/\(number)/disk.iso") }

    /// Each of the files is one of the resources, and none of the resources is missing.
    func expectAll(
        _ resources: [Resource],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let names = Self.names(resources.count)
        #expect(folder.list() == names.sorted(), sourceLocation: sourceLocation)
        let paths = names.map { folder.path($0) }
        for resource in resources {
            let isThere = try paths.contains { try resource.verify(fileAt: $0) == nil }
            #expect(isThere, "a file is missing or damaged", sourceLocation: sourceLocation)
        }
    }

    /// The names of this many files with the same name.
    static func names(_ count: Int) -> [String] {
        (0..<count).map { $0 == 0 ? "disk.iso" : "disk.\($0).iso" }
    }

    /// Waits until all of them have partial files.
    func waitForPartialFiles(_ count: Int) async throws {
        for name in Self.names(count) {
            try await FolderWatch.wait(for: name + ".part", in: folder)
        }
    }
}
