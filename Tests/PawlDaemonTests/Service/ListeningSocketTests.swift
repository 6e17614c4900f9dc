import PawlCore
import PawlDaemon
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ListeningSocketTests {
    @Test(
        arguments: [
            (nil, "1", 0), ("7", "1", 0), ("42", nil, 0), ("42", "0", 0), ("42", "1", 1),
        ] as [(String?, String?, Int)]
    )
    func `a passed socket is used only if it is meant for this process`(
        process: String?,
        descriptors: String?,
        count: Int
    ) throws {
        let found = try ListeningSocket.count(process: process, descriptors: descriptors, own: 42)
        #expect(found == count)
    }

    @Test(arguments: ["2", "-1", "x", "", "99999999999999999999"])
    func `any number of sockets other than one is refused`(descriptors: String) {
        #expect(throws: DownloadError.self) {
            try ListeningSocket.count(process: "42", descriptors: descriptors, own: 42)
        }
    }

    @Test func `a listener is found by its path in the kernel's list`() {
        let path = "/run/user/1000/pawl/daemon.sock"
        let listens = "0000000000000000: 00000002 00000000 00010000 0001 01 27101 \(path)\n"
        #expect(ListeningSocket.listens(listens, at: path))
        #expect(!ListeningSocket.listens(listens, at: "/run/user/1000/pawl/daemon"))
        // A connection has the path, too, but does not accept others.
        let connected = "0000000000000000: 00000003 00000000 00000000 0001 03 27102 \(path)\n"
        #expect(!ListeningSocket.listens(connected, at: path))
        let withSpace = "0: 2 0 00010000 0001 01 27101 /run/my folder/daemon.sock"
        #expect(ListeningSocket.listens(withSpace, at: "/run/my folder/daemon.sock"))
        let head = "Num       RefCount Protocol Flags    Type St Inode Path\n"
        for line in [head, "", "\n", "0: 2 0 zz 0001 01 27101 \(path)"] {
            #expect(!ListeningSocket.listens(line, at: path))
        }
    }
}
