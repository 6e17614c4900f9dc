import FoundationEssentials
import Pawl
import PawlCore
import PawlDaemon
import PawlTesting
import PawlWire
import Testing

/// The lists of uploads that nothing continues.
@Suite(.timeLimit(.minutes(5)))
struct LeftoverTests {
    private static let day: Double = 86_400
    private let now = StoreScene.noon

    private func record(_ download: Int64, in scene: ContractScene, daysAgo days: Double) throws {
        let upload = RecordedUpload(
            name: UploadName(id: "u\(download)", address: "s3://photos/\(download)"),
            mark: "mark",
            representation: Representation(),
            source: "https://example.org/a",
            partBytes: 8 << 20
        )
        let part = RecordedPart(
            index: 0,
            part: UploadedPart(
                number: 1,
                bytes: 1000,
                tag: "t",
                checksum: ObjectChecksum([1, 2, 3, 4])
            )
        )
        try scene.store.write { transaction in
            let date = now.addingTimeInterval(-days * Self.day)
            try transaction.uploads.record(
                upload,
                of: download,
                service: SettingsDocument(),
                at: date
            )
            try transaction.uploads.record([part], of: upload.name.id, download, at: date)
        }
    }

    private func leftovers(
        in scene: ContractScene,
        after cursor: Int64 = 0,
        limit: Int = 10
    ) async throws -> WireLeftovers {
        try await scene.store.read { [now] transaction in
            try transaction.uploads.leftovers(
                restingAtMost: 7 * Self.day,
                at: now,
                after: cursor,
                limit: limit
            )
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `an upload is listed unless its download runs or waits`(kind: StoreKind) async throws {
        let scene = try await ContractScene(kind)
        let states: [TaskState] = [
            .waiting, .running, .waitingForConnectivity, .paused, .failed, .cancelled, .waiting,
        ]
        for (index, state) in states.enumerated() {
            let id = try scene.add("\(index)")
            try scene.put(id, into: state, .changed)
            // Nothing was added to the last one for more than a week.
            try record(id, in: scene, daysAgo: index == 6 ? 8 : 1)
        }
        try record(99, in: scene, daysAgo: 2)
        let page = try await leftovers(in: scene)
        #expect(page.uploads.map(\.download) == [4, 5, 6, 7, 99])
        #expect(page.uploads.map(\.state) == [.paused, .failed, .cancelled, .waiting, nil])
        #expect(page.uploads.map(\.ageSeconds) == [1, 1, 1, 8, 2].map { $0 * Self.day })
        #expect(page.uploads.map(\.abortedInSeconds) == [6, 6, 0, 0, 0].map { $0 * Self.day })
        let first = try #require(page.uploads.first)
        #expect(first.object == "s3://photos/4")
        #expect(first.upload == "u4")
        #expect(first.parts == 1)
        #expect(first.bytes == 1000)
        #expect(page.next == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func `the uploads come in pages`(kind: StoreKind) async throws {
        let scene = try await ContractScene(kind)
        for id in 1...5 as ClosedRange<Int64> { try record(id, in: scene, daysAgo: 1) }
        let first = try await leftovers(in: scene, limit: 3)
        #expect(first.uploads.map(\.download) == [1, 2, 3])
        #expect(first.next == 3)
        let second = try await leftovers(in: scene, after: 3, limit: 3)
        #expect(second.uploads.map(\.download) == [4, 5])
        #expect(second.next == nil)
        #expect(try await scene.store.read { try $0.uploads.known() }.count == 5)
    }

    @Test(arguments: StoreKind.allCases)
    func `the buckets are those of uploads and downloads`(kind: StoreKind) async throws {
        let scene = try await ContractScene(kind)
        try record(1, in: scene, daysAgo: 1)
        let id = try scene.add("a")
        try scene.store.write { try $0.downloads.setDestination("s3://other/in/a", of: id) }
        try scene.add("b")
        let buckets = try await scene.store.read { try $0.uploads.buckets() }
        #expect(Set(buckets.keys) == ["s3://photos/", "s3://other/"])
    }
}
