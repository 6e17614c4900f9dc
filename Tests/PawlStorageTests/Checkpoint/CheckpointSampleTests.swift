import FoundationEssentials
import PawlCore
import PawlStorage
import PawlTesting
import Testing

/// Checkpoint files as earlier versions have written them, which are read for ever: the samples are
/// never recorded again.
@Suite(.timeLimit(.minutes(5)))
struct CheckpointSampleTests {
    /// The header of both files, which is followed by zeros up to the first slot.
    private static let header = "UEFXTENLUFQBAAAAABAAAFQjJWsScFDu"
    /// The slot of a file without the mark of its URL, as it was before there were marks.
    private static let unmarked = """
        BwAAAAAAAAAGAAAAAAAAABABAAAAAAAAdk66vXII1Jh6cwXXu2uAspfgUoXp0FH/xUNf6pcS59ckAAAANmY5YzFk
        MGUtNWEzYi00YzJkLThlN2YtMDAxMTIyMzM0NDU1wIcBawAAAAD8hwFrAAAAABwAAABodHRwczovL2V4YW1wbGUu
        Y29tL2Rpc2suaXNvCAAAAGRpc2suaXNvAUBCDwAAAAAAAQQAAAAidjEiAR0AAABNb24sIDA2IEp1bCAyMDI2IDA4
        OjQ5OjM3IEdNVAEBGAAAAGFwcGxpY2F0aW9uL29jdGV0LXN0cmVhbQAAAAAAAAAAAAACAAAAAAAAAAAAAADgkwQA
        AAAAAAsAAAAAAAAAIKEHAAAAAABgrgoAAAAAAAwAAAAAAAAAAQAAAAAAAAAAAAAAQA0DAAAAAAANAAAAAAAAAA==
        """
    /// The slot of a file with a mark.
    private static let marked = """
        BwAAAAAAAAAGAAAAAAAAAC0BAAAAAAAAVWW2fsKre1ztxpyzEajgKPf4GDP7iHo+pi6QvuVNU9okAAAANmY5YzFk
        MGUtNWEzYi00YzJkLThlN2YtMDAxMTIyMzM0NDU1wIcBawAAAAD8hwFrAAAAABwAAABodHRwczovL2V4YW1wbGUu
        Y29tL2Rpc2suaXNvCAAAAGRpc2suaXNvAUBCDwAAAAAAAQQAAAAidjEiAR0AAABNb24sIDA2IEp1bCAyMDI2IDA4
        OjQ5OjM3IEdNVAEBGAAAAGFwcGxpY2F0aW9uL29jdGV0LXN0cmVhbQAAAAAAAAAAAAACAAAAAAAAAAAAAADgkwQA
        AAAAAAsAAAAAAAAAIKEHAAAAAABgrgoAAAAAAAwAAAAAAAAAAQAAAAAAAAAAAAAAQA0DAAAAAAANAAAAAAAAABkA
        AABiOTJhODJjZTAyNjJkZjkwLTE0OTE2YjA3
        """

    @Test func `an old checkpoint is read`() throws {
        let samples = [(Self.unmarked, String?.none), (Self.marked, "b92a82ce0262df90-14916b07")]
        for (sample, mark) in samples {
            let slot = sample.filter { !$0.isWhitespace }
            var bytes = try #require(Data(base64Encoded: Self.header)).map(\.self)
            bytes += [UInt8](repeating: 0, count: 4_096 - bytes.count)
            bytes += try #require(Data(base64Encoded: slot))
            guard case .sound(var found, _, _) = CheckpointImage(bytes) else {
                Issue.record("the sample is not usable")
                continue
            }
            #expect(found.mark?.text == mark)
            let url = try #require(URL(string: found.source))
            #expect(found.mark?.matches(url) != false)
            found.mark = nil
            #expect(found == Self.content)
        }
    }

    /// The checkpoint of both samples, without the mark.
    private static let content = {
        var checkpoint = Checkpoint()
        checkpoint.sequence = 7
        checkpoint.bootIdentity = "6f9c1d0e-5a3b-4c2d-8e7f-001122334455"
        checkpoint.source = "https://example.com/disk.iso"
        checkpoint.targetName = Array("disk.iso".utf8)
        checkpoint.representation = .sample(1_000_000)
        checkpoint.createdAt = 1_795_262_400
        checkpoint.updatedAt = 1_795_262_460
        checkpoint.writtenClaims = [
            Claim(range: ByteRange(0, 300_000), tail: 11),
            Claim(range: ByteRange(500_000, 700_000), tail: 12),
        ]
        checkpoint.durableClaims = [Claim(range: ByteRange(0, 200_000), tail: 13)]
        return checkpoint
    }()
}
