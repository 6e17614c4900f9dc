import PawlCore
import PawlLibrary
import Testing

/// What an index decides about the downloads that the daemon has.
@Suite(.timeLimit(.minutes(5)))
struct LibraryIndexBackgroundTests {
    private let background = PendingDownload.Background(session: "films", task: 7)

    /// An index with the key `a`, which the daemon has and no run follows.
    private func scene(failure: DownloadError? = nil) -> IndexScene {
        var scene = IndexScene()
        scene.index = LibraryIndex(folder: "/library", isBackground: true)
        var pending = PendingDownload(key: "a", name: "a", url: scene.url("a"))
        pending.background = background
        pending.failure = failure.map(PendingDownload.Failure.init)
        var content = LibraryContent()
        content.notes[ExactText(LibraryName.pendingName(form: "a"))] = pending
        _ = scene.index.load(content)
        return scene
    }

    private func find(_ scene: inout IndexScene, _ task: Int) -> [LibraryIndex.Action] {
        scene.index.handle(.found("a", task: task, renews: false))
    }

    @Test func `a task that the daemon has is followed, and one of an earlier request is not`() {
        var scene = scene()
        #expect(find(&scene, 6).isEmpty)
        let start = find(&scene, 7).starts.first
        #expect(scene.index.entries["a"]?.download?.isRequested == false)
        #expect(start?.pending.background == background)
        // It is followed by one run, which a caller may join.
        #expect(find(&scene, 7).isEmpty)
        #expect(scene.ask("a").isEmpty)
        #expect(scene.index.entries["a"]?.download?.isRequested == true)
        // A caller whose wait is cancelled does not pause a run that somebody else has started.
        #expect(scene.index.handle(.waitCancelled("a")).isEmpty)
    }

    @Test func `a note of the run itself does not end it`() throws {
        var scene = scene()
        let pending = try #require(find(&scene, 7).starts.first?.pending)
        let name = ExactText(LibraryName.pendingName(form: "a"))
        let note = FoundFile(stamp: scene.stamp(inode: 3), pending: pending)
        _ = scene.folder([.modified(name)], [name: note])
        #expect(scene.run(of: "a") != nil)
    }

    @Test func `a request for a key that the daemon has continues its download`() {
        var scene = scene()
        let start = scene.ask("a", name: "other", policy: .reload).starts.first
        #expect(scene.index.entries["a"]?.download?.isRequested == true)
        #expect(start?.pending.background == background)
        #expect(start?.pending.name == "a")
    }

    @Test func `with another URL, the daemon's download is out of date`() {
        var scene = scene()
        _ = scene.index.handle(.urlReplaced("a", scene.url("b")))
        let start = scene.ask("a", hasURL: false).starts.first
        #expect(start?.pending.background?.isOutdated == true)
        #expect(start?.pending.url == scene.url("b"))
    }

    @Test func `a download that failed in the daemon is added again`() {
        var scene = scene(failure: DownloadError(.notFound, "no such file"))
        let start = scene.ask("a").starts.first
        #expect(start?.pending.background == nil)
        #expect(start?.pending.failure == nil)
    }

    @Test func `somebody may resume a failed download in the daemon`() {
        var scene = scene(failure: DownloadError(.notFound, "no such file"))
        #expect(find(&scene, 7).starts.first?.pending.failure == nil)
    }

    @Test func `a daemon that cannot be reached keeps the download`() {
        var scene = scene()
        _ = scene.ask("a")
        let error = DownloadError(.daemonUnavailable, "no daemon")
        let actions = scene.end("a", .unreachable(error))
        #expect(actions.concluded == [.failed(.daemonUnavailable)])
        #expect(actions.told == ["failed a"])
        let pending = scene.index.entries["a"]?.download?.pending
        #expect(pending?.failure == nil)
        #expect(pending?.background == background)
    }

    @Test func `closing leaves the downloads to the daemon`() {
        var scene = scene()
        _ = scene.ask("a")
        #expect(scene.index.handle(.closed).isEmpty)
        let error = DownloadError(.interrupted, "detached")
        let actions = scene.end("a", .unreachable(error))
        #expect(actions.concluded == [.failed(.interrupted)])
        #expect(actions.told.isEmpty)
        #expect(scene.ask("a").refused == [.usage])
        // The end that is being reported is still recorded.
        #expect(find(&scene, 7).starts.count == 1)
    }
}
