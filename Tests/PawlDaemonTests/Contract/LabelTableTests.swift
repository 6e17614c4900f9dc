import PawlCore
import PawlDaemon
import PawlTesting
import PawlWire
import Testing

@Suite(.timeLimit(.minutes(5)))
struct LabelTableTests {
    private func settings(_ name: String) -> LabelSettings {
        var settings = LabelSettings(name: name)
        settings.folder = "/films/"
        settings.limitBytesPerSecond = 1000
        settings.priority = .high
        return settings
    }

    private func give(_ label: String?, to id: Int64, in scene: ContractScene) throws {
        try scene.store.write { transaction in
            guard var row = try transaction.downloads.find(id) else { return }
            row.label = label
            try transaction.downloads.save(row)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a label keeps the settings that are not given`(kind: StoreKind) async throws {
        let scene = try await ContractScene(kind)
        try scene.store.write { try $0.labels.set(settings("films")) }
        var change = LabelSettings(name: "films")
        change.limitBytesPerSecond = 2000
        try scene.store.write { [change] in try $0.labels.set(change) }
        var label = try await scene.store.read { try $0.labels.find("films") }
        #expect(label.folder == "/films/")
        #expect(label.limitBytesPerSecond == 2000)
        #expect(label.priority == .high)
        (change.folder, change.limitBytesPerSecond, change.priority) = ("", 0, .normal)
        try scene.store.write { [change] in try $0.labels.set(change) }
        label = try await scene.store.read { try $0.labels.find("films") }
        #expect(label.folder == nil)
        #expect(label.limitBytesPerSecond == nil)
        #expect(label.priority == .normal)
    }

    @Test(arguments: StoreKind.allCases)
    func `labels with settings and labels of downloads are listed in pages`(kind: StoreKind)
        async throws
    {
        let scene = try await ContractScene(kind)
        for name in ["a", "b", "c"] { try scene.add(name) }
        try scene.store.write { try $0.labels.set(settings("music")) }
        try give("films", to: 1, in: scene)
        try give("films", to: 2, in: scene)
        try give("music", to: 3, in: scene)
        let first = try await scene.store.read {
            try $0.labels.list(PageQuery(parameters: [], limit: 1))
        }
        #expect(first.labels.map(\.name) == ["films"])
        #expect(first.labels.first?.counts == ["waiting": 2])
        #expect(first.next == "films")
        let rest = try await scene.store.read {
            try $0.labels.list(PageQuery(parameters: [("after", "films")], limit: 5))
        }
        #expect(rest.labels.map(\.name) == ["music"])
        #expect(rest.labels.first?.counts == ["waiting": 1])
        #expect(rest.next == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func `a removed label leaves its downloads without one`(kind: StoreKind) async throws {
        let scene = try await ContractScene(kind)
        for name in ["a", "b"] { try scene.add(name) }
        try scene.store.write { try $0.labels.set(settings("films")) }
        try give("films", to: 1, in: scene)
        try give("music", to: 2, in: scene)
        let newest = try scene.store.write { try $0.labels.removeSettings("films") }
        #expect(newest == 1)
        let changed = try scene.store.write {
            try $0.labels.take("films", upTo: 1, limit: 10)
        }
        #expect(changed.map(\.id) == [1])
        #expect(changed.first?.label == nil)
        let labels = try await scene.store.read { transaction in
            try [1, 2].map { try transaction.downloads.find($0)?.label }
        }
        #expect(labels == [nil, "music"])
        #expect(try await scene.store.read { try $0.labels.settings() }.isEmpty)
    }

    @Test(arguments: StoreKind.allCases)
    func `a label is taken from its downloads part by part`(kind: StoreKind) async throws {
        let scene = try await ContractScene(kind)
        for number in 1...5 { try give("films", to: try scene.add("\(number)"), in: scene) }
        func take() throws -> [Int64] {
            try scene.store.write { try $0.labels.take("films", upTo: 4, limit: 3) }.map(\.id)
        }
        #expect(try scene.store.write { try $0.labels.removeSettings("films") } == 5)
        #expect(try take() == [1, 2, 3])
        #expect(try take() == [4])
        #expect(try take() == [])
    }

    @Test(arguments: StoreKind.allCases)
    func `the number of labels with settings is limited`(kind: StoreKind) async throws {
        let scene = try await ContractScene(kind)
        try scene.store.write { transaction in
            for number in 0..<LabelTable.most { try transaction.labels.set(settings("\(number)")) }
        }
        let error = #expect(throws: DownloadError.self) {
            try scene.store.write { try $0.labels.set(settings("one more")) }
        }
        #expect(error?.code == .conflict)
        try scene.store.write { try $0.labels.set(settings("0")) }
    }

    @Test(arguments: StoreKind.allCases)
    func `a selection and a list are limited to a label`(kind: StoreKind) async throws {
        let scene = try await ContractScene(kind)
        for name in ["a.iso", "b.iso", "a.iso"] { try scene.add(name) }
        try give("films", to: 1, in: scene)
        try give("films", to: 2, in: scene)
        func select(_ selection: Selection) async throws -> [Int64] {
            try await scene.store.read { transaction in
                try transaction.search.select(selection, states: [.waiting]).map(\.download.id)
            }
        }
        #expect(try await select(Selection(all: true, label: "films")) == [1, 2])
        #expect(try await select(Selection(targets: ["a.iso"], label: "films")) == [1])
        await #expect(throws: DownloadError.self) {
            try await select(Selection(targets: ["3"], label: "films"))
        }
        let query = try ListQuery(parameters: [("label", "films")])
        #expect(query.parameters["label"] == "films")
        let page = try await scene.store.read { try $0.search.list(query) }
        #expect(page.downloads.map(\.id) == [1, 2])
    }

    @Test(arguments: ["", "none", "a,b", " a", "a ", "a\u{7}", String(repeating: "a", count: 101)])
    func `an invalid name is refused`(name: String) {
        #expect(throws: DownloadError.self) { try LabelSettings(name: name).check() }
        var new = NewDownload(url: "https://host/a", destination: "/tmp/a")
        new.label = name
        #expect(throws: DownloadError.self) { try new.checked() }
    }

    @Test func `an invalid folder or limit is refused`() throws {
        try settings("films").check()
        var change = LabelSettings(name: "films")
        change.folder = "films"
        #expect(throws: DownloadError.self) { try change.check() }
        change.folder = ""
        try change.check()
        change.limitBytesPerSecond = -1
        #expect(throws: DownloadError.self) { try change.check() }
    }
}
