import FoundationEssentials
import PawlCore
import PawlDaemon
import PawlWire
import Testing

@Suite(.timeLimit(.minutes(5)))
struct Aria2StatusTests {
    private func download(_ state: TaskState, bytes: Int64? = nil) -> WireDownload {
        var download = WireDownload(
            id: 1,
            state: state,
            name: "a.iso",
            url: "http://host/a.iso",
            createdAt: Date(timeIntervalSince1970: 0)
        )
        download.destination = "/downloads/"
        download.totalBytes = bytes
        return download
    }

    @Test(arguments: [
        (TaskState.running, "active"), (.waitingForConnectivity, "active"), (.waiting, "waiting"),
        (.suspended, "paused"), (.paused, "paused"), (.finished, "complete"), (.failed, "error"),
        (.cancelled, "removed"),
    ])
    func `each state has a word of aria2`(state: TaskState, word: String) {
        let status = Aria2Status(download(state), "1").value([])
        #expect(status["status"] == .text(word))
        #expect((status["errorCode"] != nil) == state.isEnd)
        #expect((status["errorMessage"] != nil) == state.isEnd)
    }

    @Test func `only the requested members are returned`() {
        let status = Aria2Status(download(.paused), "0f").value(["gid", "dir", "unknown"])
        #expect(status == ["dir": "/downloads", "gid": "0f"])
        let file = Aria2Status(download(.paused), "0f").files
        #expect(file == Aria2Status(download(.paused), "0f").value(nil)["files"])
    }

    @Test func `the bitfield shows the complete pieces`() {
        let piece: Int64 = 1 << 20
        let running = download(.running, bytes: 10 * piece)
        let ranges = [
            ByteRange(0, 2 * piece), ByteRange(3 * piece + 1, 5 * piece),
            ByteRange(9 * piece, 10 * piece),
        ]
        let parts = WireSegments(running, written: ranges).written
        let status = Aria2Status(running, "1", written: parts).value(nil)
        // Pieces 0, 1, 4 and 9.
        #expect(status["bitfield"] == "c840" && status["numPieces"] == "10")
        let done = Aria2Status(download(.finished, bytes: 10 * piece + 1), "1").value(nil)
        #expect(done["bitfield"] == "ffe0" && done["numPieces"] == "11")
        let huge = Aria2Status(download(.finished, bytes: 1 << 45), "1").value(nil)
        #expect(huge["numPieces"] == "4096" && huge["pieceLength"] == .text("\(1 << 33)"))
        // A checkpoint may contain any number.
        let far = WireSegments(running, written: [ByteRange(Int64.max - 1, .max)]).written
        #expect(Aria2Status(running, "1", written: far).value(nil)["bitfield"] == "0000")
        #expect(Aria2Status(download(.waiting), "1").value(nil)["bitfield"] == nil)
    }
}
