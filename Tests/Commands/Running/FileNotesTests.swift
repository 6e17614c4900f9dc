import Glibc
import PawlCore
import PawlTesting
import SystemPackage
import Testing

import PawlStorage

/// What a finished file gets besides its bytes.
@Suite(.timeLimit(.minutes(5)))
struct FileNotesTests {
    /// A file in the lane for small files, and one with a partial file.
    private static let sizes: [Int64] = [10_000, 12 << 20]

    @Test(arguments: sizes)
    func `the file gets the server's time only on request`(size: Int64) async throws {
        var resource = Resource(size: size)
        resource.lastModified = "Wed, 21 Oct 2015 07:28:00 GMT"
        let workshop = try Workshop(resource)
        let plain = try await workshop.run(workshop.url, "-o", "plain")
        #expect(plain.status == .code(0), "\(plain.errors)")
        #expect(try modified("plain", in: workshop) > 1_500_000_000)
        let timed = try await workshop.run(workshop.url, "-o", "timed", "-R")
        #expect(timed.status == .code(0), "\(timed.errors)")
        #expect(try modified("timed", in: workshop) == 1_445_412_480)
        // Its bytes are recognized by the time, too.
        let again = try await workshop.run(workshop.url, "-o", "timed", "-R", "-v")
        #expect(again.status == .code(0), "\(again.errors)")
        #expect(!workshop.folder.exists("timed.1"))
    }

    @Test(arguments: ["yesterday", nil])
    func `without a usable time of the server the file keeps its own`(text: String?) async throws {
        var resource = Resource(size: 10_000)
        resource.lastModified = text
        let workshop = try Workshop(resource)
        let run = try await workshop.run(workshop.url, "-R")
        try expectOnly(Workshop.name, resource, in: workshop, run)
        #expect(try modified(Workshop.name, in: workshop) > 1_500_000_000)
    }

    @Test(arguments: sizes)
    func `the file records its origin without secrets only on request`(
        size: Int64
    ) async throws {
        let resource = Resource(size: size)
        let workshop = try Workshop(resource)
        let url = workshop.url + "?token=s3cret"
        workshop.origin.route(Workshop.path + "?token=s3cret", .resource(resource))
        for (name, options) in [("plain", []), ("noted", ["--xattr"])] {
            let run = try await workshop.run(
                [url, "-o", name, "--referer", "http://page.example/a"] + options
            )
            #expect(run.status == .code(0), "\(run.errors)")
        }
        let noted = try attributes("noted", in: workshop)
        #expect(noted["user.xdg.origin.url"]?.hasPrefix(workshop.url) == true)
        #expect(noted["user.xdg.origin.url"]?.contains("s3cret") == false)
        #expect(noted["user.xdg.referrer.url"] == "http://page.example/a")
        #expect(noted["user.mime_type"] == "application/octet-stream")
        #expect(noted["user.dublincore.date"]?.hasPrefix("20") == true)
        let plain = try attributes("plain", in: workshop)
        #expect(plain.keys.allSatisfy { $0.contains("pawl") })
    }

    private func modified(_ name: String, in workshop: Workshop) throws -> Int {
        var status = stat()
        try #require(stat(workshop.folder.path(name), &status) == 0)
        return status.st_mtim.tv_sec
    }

    private func attributes(
        _ name: String,
        in workshop: Workshop
    ) throws -> [String: String] {
        let path = FilePath(workshop.folder.path(name))
        var found: [String: String] = [:]
        for name in try ExtendedAttributes.names(of: path) {
            let value = try ExtendedAttributes.read(name, of: path)
            found[name] = String(decoding: value, as: UTF8.self)
        }
        return found
    }
}
