import struct FoundationEssentials.URL
import PawlCore
import PawlTesting
import Testing

/// Apple's own resume data can be imported: URL, validators, offset.
///
/// Both the property list and the keyed archive are read, and both known faults are repaired.
@Suite(.timeLimit(.minutes(5)))
struct AppleResumeDataTests {
    private func imported(_ sample: String) throws -> ResumeData {
        try ResumeData(appleResumeData: try #require([UInt8](base64: sample)))
    }

    @Test(arguments: AppleSamples.all.keys.sorted())
    func `each form gives URL, validator and offset`(name: String) throws {
        let data = try imported(try #require(AppleSamples.all[name]))
        #expect(data.url.absoluteString == "https://example.org/get/disk.iso?id=7")
        #expect(data.entityTag == "\"seed-1\"")
        #expect(data.receivedBytes == 150_000)
        #expect(data.isImported && data.totalBytes == nil && data.createdAt == nil)
        #expect(data.partialPath?.isEmpty == false)
        if name != "safari" { #expect(data.lastModified == "Mon, 06 Jul 2026 08:49:37 GMT") }
    }

    @Test func `wrongly encoded requests of iOS 10 give their URL`() throws {
        let data = try imported(AppleSamples.ios10WithoutURL)
        #expect(data.url.absoluteString == "https://example.org/get/disk.iso?id=7")
    }

    @Test func `the stray byte range of iOS 11 changes nothing`() throws {
        let sound = try imported(AppleSamples.ios9)
        let stray = try imported(AppleSamples.ios11)
        #expect(stray.ranges == [0..<150_000])
        #expect(stray == sound)
    }

    @Test func `the temporary file is located by path or name`() throws {
        #expect(try imported(AppleSamples.ios8).partialPath?.hasPrefix("/private/var") == true)
        #expect(try imported(AppleSamples.ios12).partialPath == "CFNetworkDownload_ios9.tmp")
    }

    @Test func `imported resume data is stored like any other`() throws {
        let data = try imported(AppleSamples.ios12)
        #expect(try ResumeData(data: data.data) == data)
    }

    @Test func `foreign data is refused with a reason`() throws {
        let own = Array(ResumeData(try ResumeSamples.content()).data)
        for bytes in [[], own, Array("<plist><array/></plist>".utf8), Array("bplist00".utf8)] {
            let error = #expect(throws: DownloadError.self) {
                try ResumeData(appleResumeData: bytes)
            }
            #expect(error?.code == .invalidResumeData)
        }
        let negative =
            "<plist><dict><key>NSURLSessionResumeBytesReceived</key>"
            + "<integer>-1</integer></dict></plist>"
        let error = #expect(throws: DownloadError.self) {
            try ResumeData(appleResumeData: negative.utf8)
        }
        #expect(error?.message.contains("negative") == true)
    }

    @Test(arguments: AppleSamples.all.keys.sorted())
    func `damaged data is read or refused, and never crashes`(name: String) async throws {
        var random = TestSeed.generator("damaged data of \(name)")
        let sample = try #require(AppleSamples.all[name])
        let bytes = try #require([UInt8](base64: sample))
        for length in stride(from: 0, to: bytes.count, by: 7) {
            _ = try? ResumeData(appleResumeData: bytes[..<length])
        }
        var breath = Breath()
        for _ in 0..<1500 {
            await breath.take()
            var changed = bytes
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                let offset = Int.random(in: 0..<changed.count, using: &random)
                changed[offset] = UInt8.random(in: 0...255, using: &random)
            }
            _ = try? ResumeData(appleResumeData: changed)
        }
    }
}
