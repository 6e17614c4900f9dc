import FoundationEssentials
import PawlCore
import PawlTesting
import Testing

@Suite(.timeLimit(.minutes(5)), .serialized)
struct InspectVerbTests {
    private let resource = Resource(size: 3 << 20)

    private struct SourceReport: Decodable {
        var name: String
        var bytes: Int64
        var etag: String
        var acceptsRanges: Bool
        var resumable: Bool
        var status: Int
        var url: String
        var redirects: [String]
    }

    @Test func `inspect of a URL shows what the server reports and downloads nothing`() async throws
    {
        let workshop = try Workshop(resource)
        workshop.serve(.redirect(to: "/disk.iso?token=s3cret"), at: "/latest")
        let url = workshop.origin.url("/latest")
        let text = try await workshop.run("inspect", url)
        #expect(text.status == .code(0), "\(text.errors)")
        #expect(text.output.contains("disk.iso"))
        #expect(text.output.contains("3.00 MiB (3145728 bytes)"))
        #expect(text.output.contains(resource.entityTag ?? "-"))

        let run = try await workshop.run("inspect", "--json", url)
        let report = try JSONDecoder().decode(SourceReport.self, from: Data(run.output.utf8))
        #expect(report.name == Workshop.name)
        #expect(report.bytes == resource.size)
        #expect(report.etag == resource.entityTag)
        #expect(report.acceptsRanges)
        #expect(report.resumable)
        #expect(report.status == 200)
        #expect(report.redirects == [url])
        #expect(!(text.everything + run.everything).contains("s3cret"))
        #expect(workshop.folder.list().isEmpty)
    }

    @Test func `inspect of a missing file fails like get`() async throws {
        let workshop = try Workshop()
        let run = try await workshop.run("inspect", workshop.url)
        expectFailure(.notFound, run)
    }

    @Test(arguments: ["disk.iso.part", "disk.iso.part.pawl"])
    func `inspect of a partial file shows the contents of its checkpoint`(name: String) async throws
    {
        let workshop = try Workshop()
        workshop.serve(.resource(resource).holdAfterBytes(1 << 20, until: Latch()))
        _ = try await workshop.run(workshop.url, "-x", "1", "--max-time", "3")
        let requests = workshop.origin.requests.count
        let text = try await workshop.run("inspect", name)
        #expect(text.status == .code(0), "\(text.errors)")
        #expect(text.output.contains("3.00 MiB (3145728 bytes)"))
        #expect(text.output.contains(workshop.url))

        let report = try await Inspection.of(name, in: workshop)
        #expect(report.bytes == resource.size)
        #expect(report.ofThisBoot)
        #expect(report.url == workshop.url)
        #expect(report.claimed.count == report.usableBytes)
        #expect(report.usableBytes > 0)
        #expect(report.usableBytes < resource.size)
        for range in report.claimed.ranges {
            let path = workshop.folder.path("disk.iso.part")
            #expect(try resource.firstMismatch(inFileAt: path, range: range) == nil)
        }
        #expect(workshop.origin.requests.count == requests)
    }

    @Test(arguments: ["no.part", "list.txt"])
    func `inspect of anything else is an error`(name: String) async throws {
        let workshop = try Workshop()
        let run = try await workshop.run("inspect", name)
        expectFailure(name == "no.part" ? .fileUnreadable : .usage, run)
    }
}
