import PawlCore
import PawlTesting
import Testing

/// Several files over TLS, from nginx with HTTP/2.
@Suite(.timeLimit(.minutes(5)))
struct SharedConnectionTests {
    private static func small(_ number: Int) -> Resource {
        Resource(size: 10_000 + Int64(number), seed: UInt64(number))
    }

    private let folder: ScratchFolder
    private let server: NginxServer

    init() async throws {
        folder = try ScratchFolder()
        server = try await NginxServer()
    }

    /// Downloads files with these names to the folder.
    private func run(_ names: [String], _ options: String...) async throws {
        let list = names.map { server.url($0) + "\n" }.joined()
        try folder.write("list", list)
        let run = try await ProcessRunner.run(
            Workshop.program,
            ["--cacert", server.authority, "-i", "list"] + options,
            ProcessSettings(folder: folder.path)
        )
        #expect(run.status == .code(0), "\(run.errors)")
    }

    private func expect(_ name: String, _ resource: Resource) throws {
        #expect(try resource.verify(fileAt: folder.path(name)) == nil, "\(name)")
    }

    @Test func `small files share a connection or two`() async throws {
        for number in 0..<60 { try server.put("f\(number)", Self.small(number).bytes()) }
        try await run((0..<60).map { "f\($0)" }, "-j", "20")
        for number in 0..<60 { try expect("f\(number)", Self.small(number)) }
        let asked = try await server.close()
        #expect(asked.count == 60)
        // The first does not know yet that there are others.
        #expect(Set(asked.map(\.connection)).count <= 2)
        #expect(asked.count { $0.version == "HTTP/2.0" } >= 58)
    }

    @Test func `segments of large files use HTTP 1`() async throws {
        let large = (0..<3).map { Resource(size: 6 << 20, seed: UInt64(1_000 + $0)) }
        for (number, resource) in large.enumerated() {
            try server.put("large\(number)", resource.bytes())
        }
        for number in 0..<20 { try server.put("f\(number)", Self.small(number).bytes()) }
        let names = (0..<3).map { "large\($0)" } + (0..<20).map { "f\($0)" }
        try await run(names, "-x", "4", "-j", "8")
        for (number, resource) in large.enumerated() { try expect("large\(number)", resource) }
        for number in 0..<20 { try expect("f\(number)", Self.small(number)) }
        let segments = try await server.close().filter { $0.status == 206 }
        #expect(!segments.isEmpty)
        #expect(segments.allSatisfy { $0.version == "HTTP/1.1" })
    }

    @Test func `with a speed limit, downloads do not share connections`() async throws {
        for number in 0..<8 { try server.put("f\(number)", Self.small(number).bytes()) }
        try await run((0..<8).map { "f\($0)" }, "--total-limit", "10M")
        for number in 0..<8 { try expect("f\(number)", Self.small(number)) }
        #expect(try await server.close().allSatisfy { $0.version == "HTTP/1.1" })
    }
}
