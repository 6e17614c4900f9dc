import Pawl
import PawlCore
import Synchronization
import Testing

/// The order in which a walk through a tree passes on files.
@Suite(.timeLimit(.minutes(5)))
struct TreeWalkTests {
    /// Takes files while there is room.
    private final class Visitor: TreeVisiting {
        private struct State {
            var room: Int
            var seen: [String] = []
            var taken: Set<String> = []
        }

        private let state: Mutex<State>

        /// `room`: the number of times that there is room.
        init(room: Int) { state = Mutex(State(room: room)) }

        /// The paths for whose work the walk has asked, in order.
        var seen: [String] { state.withLock { $0.seen } }
        /// The paths whose work was done.
        var taken: Set<String> { state.withLock { $0.taken } }

        func waitForRoom() async -> Bool {
            state.withLock { state in
                state.room -= 1
                return state.room >= 0
            }
        }

        func work(for file: ListedFile) -> FileWork? {
            state.withLock { $0.seen.append(file.path) }
            guard !file.path.hasSuffix(".old") else { return nil }
            return { [self] in
                state.withLock { _ = $0.taken.insert(file.path) }
                guard file.path.hasSuffix(".d") else { return nil }
                return ListedFolder(address: file.address + "/", path: file.path)
            }
        }

        func listed(_ content: FolderContent, of folder: ListedFolder) {}
        func redirected(to address: String) {}
        func failed(_ folder: ListedFolder, _ error: DownloadError) {}
        func disallowed(_ path: String) {}
    }

    private func files(_ names: [String]) -> [ListedFile] {
        names.map { ListedFile(address: "https://host/\($0)", path: $0) }
    }

    @Test func `no file is looked at before there is room for it`() async {
        let visitor = Visitor(room: 3)
        await TreeWalk.take(files(["a", "b.old", "c", "d", "e"]), visitor)
        #expect(visitor.seen == ["a", "b.old", "c"])
        #expect(visitor.taken == ["a", "c"])
    }

    @Test func `all files of a long list are taken, and folders among them are found`() async {
        let names = (0..<200).map { "\($0)" + ($0 % 50 == 7 ? ".d" : $0 % 3 == 0 ? ".old" : "") }
        let visitor = Visitor(room: .max)
        let folders = await TreeWalk.take(files(names), visitor)
        #expect(visitor.seen == names)
        #expect(visitor.taken == Set(names.filter { !$0.hasSuffix(".old") }))
        #expect(Set(folders.map(\.path)) == ["7.d", "57.d", "107.d", "157.d"])
    }
}
