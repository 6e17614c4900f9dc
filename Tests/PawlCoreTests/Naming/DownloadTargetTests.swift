import PawlCore
import Testing

@Suite(.timeLimit(.minutes(5)))
struct DownloadTargetTests {
    private let folder = DownloadTarget(url: "https://host/disk.iso", destination: .directory("/a"))

    @Test func `a fragment and a slash at the end make no other target`() {
        #expect(folder == DownloadTarget(url: "https://host/disk.iso#part", path: "/a/"))
    }

    @Test func `a folder may become any file in it`() {
        #expect(folder.mayMeet(DownloadTarget(url: "https://host/disk.iso", path: "/a/b.iso")))
        #expect(!folder.mayMeet(DownloadTarget(url: "https://host/disk.iso", path: "/b/b.iso")))
        #expect(!folder.mayMeet(DownloadTarget(url: "https://host/other", path: "/a/b.iso")))
    }

    @Test func `two files of different names are different targets`() {
        let one = DownloadTarget(url: "https://host/disk.iso", path: "/a/one.iso")
        #expect(!one.mayMeet(DownloadTarget(url: "https://host/disk.iso", path: "/a/two.iso")))
    }

    @Test func `folders that are spelled differently are resolved`() {
        let one = DownloadTarget(url: "https://host/disk.iso", path: "/a/./one.iso")
        let two = DownloadTarget(url: "https://host/disk.iso", path: "/a/one.iso")
        #expect(!one.mayMeet(two))
        #expect(one.mayMeet(two) { $0.replacing("/./", with: "/") })
        #expect(one != two)
        #expect(one.resolved { _ in "/b" } == two.resolved { _ in "/b/" })
        #expect(one.resolved { _ in "/b" }.file == "/b/one.iso")
        #expect(folder.file == nil)
    }
}
