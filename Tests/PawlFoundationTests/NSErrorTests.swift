import Foundation
import FoundationNetworking
import Pawl
import PawlCore
import PawlFoundation
import PawlTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct NSErrorTests {
    @Test func `each code has a number of its own`() {
        let numbers = ErrorCode.table.map { row in
            DownloadError(row.code, "x").errorCode
        }
        #expect(Set(numbers).count == ErrorCode.table.count)
        #expect(DownloadError(ErrorCode(rawValue: "later"), "x").errorCode == 1)
    }

    @Test func `the texts are under the keys of Foundation`() throws {
        let error =
            DownloadError(.notFound, "it is gone", advice: "look elsewhere", context: "looking")
            as NSError
        #expect(error.domain == "PawlErrorDomain" && error.domain == PawlErrorDomain)
        #expect(error.code == 3)
        #expect(error.localizedDescription == "it is gone - while looking")
        #expect(error.localizedFailureReason == "it is gone")
        #expect(error.localizedRecoverySuggestion == "look elsewhere")
        #expect(error.userInfo[NSURLErrorFailingURLErrorKey] == nil)
        #expect(error.userInfo[NSUnderlyingErrorKey] == nil)
    }

    @Test func `the URL of the request has no user and no fragment`() async throws {
        let scene = try FoundationScene(.status(404))
        let url = try scene.url("/gone?a=b#c")
        let secret = try #require(
            URL(string: url.absoluteString.replacing("http://", with: "http://me:secret@"))
        )
        let shown = try scene.url("/gone?a=b")
        let failures: [@Sendable () async throws -> Void] = [
            { _ = try await scene.session.download(secret) },
            { _ = try await scene.session.data(from: secret) },
            { _ = try await scene.session.bytes(from: secret) },
        ]
        for failure in failures {
            let error = await #expect(throws: DownloadError.self) { try await failure() }
            let info = try #require(error as NSError?).userInfo
            #expect(info[NSURLErrorFailingURLErrorKey] as? URL == shown)
        }
    }

    @Test func `an underlying error is passed on`() async throws {
        let scene = try FoundationScene(.hangUp(.reset))
        let error = await #expect(throws: DownloadError.self) {
            try await scene.session.data(from: try scene.url())
        }
        #expect((error as NSError?)?.userInfo[NSUnderlyingErrorKey] is NetworkFailure)
    }

    @Test func `resume data are under URLSession's key, and can be used`() async throws {
        let resource = Resource(size: 1 << 20)
        let scene = try FoundationScene(.resource(resource).afterBytes(300_000, .reset))
        let target = scene.target()
        let error = await #expect(throws: DownloadError.self) {
            try await scene.session.download(try scene.url(), to: .file(target))
        }
        let data = (error as NSError?)?.userInfo[URLSessionDownloadTaskResumeData] as? Data
        let resumeData = try ResumeData(data: try #require(data))
        #expect(resumeData.receivedBytes > 0)
        scene.origin.route("/disk.bin", .resource(resource))
        let file = try await scene.session.download(resuming: resumeData)
        #expect(try Data(contentsOf: file.fileURL) == Data(resource.bytes()))
    }
}
