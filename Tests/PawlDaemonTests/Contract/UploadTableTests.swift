import FoundationEssentials
import Pawl
import PawlCore
import PawlDaemon
import PawlWire
import Testing

/// The uploads of downloads that become objects.
@Suite(.timeLimit(.minutes(5)))
struct UploadTableTests {
    private let now = ContractScene.noon

    private func upload(_ id: String = "u1", attempt: Int = 0) -> RecordedUpload {
        var representation = Representation()
        representation.total = 20_000_000
        representation.entityTag = EntityTag(isWeak: false, opaque: "abc")
        return RecordedUpload(
            name: UploadName(id: id, address: "s3://photos/a"),
            mark: "mark",
            representation: representation,
            source: "https://example.org/a",
            partBytes: 8 << 20,
            attempt: attempt
        )
    }

    private func part(_ index: Int, tag: String = "t") -> RecordedPart {
        RecordedPart(
            index: index,
            part: UploadedPart(
                number: index * 2 + 1,
                bytes: 8 << 20,
                tag: tag,
                checksum: ObjectChecksum([1, 2, 3, 4]),
                sha256: index == 0 ? nil : [UInt8](repeating: 7, count: 32)
            )
        )
    }

    private func record(
        _ upload: RecordedUpload,
        of download: Int64 = 1,
        in scene: ContractScene,
        daysAgo days: Double = 0
    ) throws {
        try scene.store.write { transaction in
            try transaction.uploads.record(
                upload,
                of: download,
                service: SettingsDocument(),
                at: now.addingTimeInterval(-days * 86_400)
            )
        }
    }

    private func found(_ download: Int64 = 1, in scene: ContractScene) throws -> (
        RecordedUpload, [RecordedPart]
    )? {
        let finding = try scene.store.write { try $0.uploads.recorded(of: download) }
        guard case .upload(let upload, let parts) = finding else { return nil }
        return (upload, parts)
    }

    private func abandoned(in scene: ContractScene) throws -> [Int64] {
        try scene.store.write {
            try $0.uploads.abandoned(before: now.addingTimeInterval(-7 * 86_400))
        }.map(\.download)
    }

    @Test(arguments: StoreKind.allCases)
    func `an upload is read as it was recorded, with its parts in order`(kind: StoreKind)
        async throws
    {
        let scene = try await ContractScene(kind)
        try scene.add("a")
        #expect(try found(in: scene) == nil)
        try record(upload(), in: scene)
        try scene.store.write { transaction in
            try transaction.uploads.record([part(2), part(0)], of: "u1", 1, at: now)
            try transaction.uploads.record(
                [part(2, tag: "new"), part(1)],
                of: "u1",
                1,
                at: now
            )
        }
        let (known, parts) = try #require(try found(in: scene))
        #expect(known == upload())
        #expect(parts == [part(0), part(1), part(2, tag: "new")])
        // Another state of the same upload keeps the parts, and another upload has none.
        try record(upload(attempt: 1), in: scene)
        #expect(try found(in: scene)?.0.attempt == 1)
        #expect(try found(in: scene)?.1.count == 3)
        try record(upload("u2"), in: scene)
        #expect(try found(in: scene)?.1.isEmpty == true)
        try scene.store.write { try $0.uploads.forget(upload().name, of: 1) }
        #expect(try found(in: scene)?.0.name.id == "u2")
        try scene.store.write { try $0.uploads.forget(upload("u2").name, of: 1) }
        #expect(try found(in: scene) == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func `an upload is abandoned with its download, or after a week`(kind: StoreKind) async throws {
        let scene = try await ContractScene(kind)
        for name in ["a", "b", "c", "d", "e"] { try scene.add(name) }
        for id in 1...5 as ClosedRange<Int64> {
            try record(upload("u\(id)"), of: id, in: scene, daysAgo: id == 5 ? 8 : 6)
        }
        #expect(try abandoned(in: scene) == [5])
        // A part makes it young again.
        try scene.store.write { try $0.uploads.record([part(0)], of: "u5", 5, at: now) }
        #expect(try abandoned(in: scene) == [])
        try scene.store.write { transaction in
            try transaction.uploads.abandon(1)
            // For a while, a removal can be undone.
            try transaction.removed.keep(2, removal: 1, by: .user, at: now)
            try transaction.downloads.delete(2)
            try transaction.downloads.delete(3)
            var row = try #require(try transaction.downloads.find(4))
            row.state = .finished
            try transaction.downloads.save(row)
        }
        #expect(try abandoned(in: scene) == [1, 3, 4])
        try scene.store.write { _ = try $0.removed.forgetAll() }
        #expect(try abandoned(in: scene) == [1, 2, 3, 4])
    }

    @Test(arguments: StoreKind.allCases)
    func `parts of another upload are ignored`(kind: StoreKind) async throws {
        let scene = try await ContractScene(kind)
        try scene.add("a")
        // A part may be acknowledged when its upload is no longer recorded.
        try scene.store.write { try $0.uploads.record([part(0)], of: "u1", 1, at: now) }
        #expect(try found(in: scene) == nil)
        try record(upload("u2"), in: scene)
        try scene.store.write { try $0.uploads.record([part(0)], of: "u1", 1, at: now) }
        #expect(try found(in: scene)?.1.isEmpty == true)
        try scene.store.write { try $0.uploads.record([part(0)], of: "u2", 1, at: now) }
        #expect(try found(in: scene)?.1 == [part(0)])
    }

    @Test(arguments: StoreKind.allCases)
    func `a finished download forgets only a complete upload`(kind: StoreKind) async throws {
        let scene = try await ContractScene(kind)
        try scene.add("a")
        var recorded = upload()
        for state in RecordedUpload.State.allCases {
            recorded.state = state
            try record(recorded, in: scene)
            try scene.store.write { try $0.uploads.finish(1) }
            let isComplete = [.completing, .completingVerified].contains(state)
            #expect(try (found(in: scene) == nil) == isComplete, "\(state)")
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a record that cannot be read still names the upload`(kind: StoreKind) async throws {
        let scene = try await ContractScene(kind)
        try scene.add("a")
        var broken = upload()
        broken.partBytes = 0
        try record(broken, in: scene)
        let finding = try scene.store.write { try $0.uploads.recorded(of: 1) }
        guard case .damaged(let name?) = finding else {
            Issue.record("\(finding)")
            return
        }
        #expect(name == upload().name)
    }
}
