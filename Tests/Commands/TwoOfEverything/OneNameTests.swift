import Glibc
import PawlCore
import PawlTesting
import Testing

extension TwoOfEverything {
    /// URLs of one name: different files, which are never mixed and never lost.
    @Suite(.timeLimit(.minutes(5)), .serialized)
    struct OneNameTests {
        enum Kind: String, CaseIterable, Sendable {
            case ofOtherLengths, ofOneLength, withoutValidators

            /// Large enough for a first checkpoint.
            func resources(_ count: Int) -> [Resource] {
                (0..<count).map { number in
                    let more = self == .ofOtherLengths ? Int64(number) << 20 : 0
                    var resource = Resource(size: (12 << 20) + more, seed: UInt64(number + 1))
                    if self == .withoutValidators {
                        (resource.entityTag, resource.lastModified) = (nil, nil)
                    }
                    return resource
                }
            }
        }

        @Test(arguments: Kind.allCases)
        func `in one process at the same time`(kind: Kind) async throws {
            let workshop = try Workshop()
            let (resources, latch) = (kind.resources(3), Latch())
            workshop.serveOneName(resources, until: latch)
            let urls = resources.indices.map { workshop.urlOfOneName($0) }
            let runner = try workshop.start(arguments: urls + ["-x", "1", "-j", "3"])
            try await workshop.waitForPartialFiles(3)
            latch.release()
            #expect(await runner.waitForExit() == .code(0), "\(runner.errors)")
            try workshop.expectAll(resources)
        }

        @Test(arguments: Kind.allCases)
        func `in three processes at the same time`(kind: Kind) async throws {
            let workshop = try Workshop()
            let (resources, latch) = (kind.resources(3), Latch())
            workshop.serveOneName(resources, until: latch)
            let runners = try resources.indices.map {
                try workshop.start(workshop.urlOfOneName($0), "-x", "1")
            }
            try await workshop.waitForPartialFiles(3)
            latch.release()
            for runner in runners {
                #expect(await runner.waitForExit() == .code(0), "\(runner.errors)")
            }
            try workshop.expectAll(resources)
        }

        @Test(arguments: [SIGINT, SIGKILL], [Kind.ofOtherLengths, .ofOneLength])
        func `one after the other, each interrupted and resumed`(
            signal: Int32,
            kind: Kind
        ) async throws {
            let workshop = try Workshop()
            let (resources, latch) = (kind.resources(3), Latch())
            workshop.serveOneName(resources, until: latch)
            for number in resources.indices {
                let runner = try workshop.start(workshop.urlOfOneName(number), "-x", "1")
                try await workshop.waitForPartialFiles(number + 1)
                // The first checkpoint exists before its file has a name.
                runner.signal(signal)
                await runner.waitForExit()
            }
            #expect(workshop.folder.list().count == 6)
            let before = workshop.origin.requests.count
            workshop.serveOneName(resources)
            for number in resources.indices.reversed() {
                let run = try await workshop.run(workshop.urlOfOneName(number), "-x", "1")
                #expect(run.status == .code(0), "\(run.errors)")
                try expectExact(Workshop.names(3)[number], resources[number], in: workshop)
            }
            try workshop.expectAll(resources)
            let again = workshop.origin.requests.dropFirst(before)
            #expect(again.allSatisfy { ($0.range?.first ?? 0) > 0 }, "one started over")
        }

        @Test func `one after the other, each to its end, and again`() async throws {
            let workshop = try Workshop()
            let resources = Kind.ofOneLength.resources(3)
            workshop.serveOneName(resources)
            for isAgain in [false, true] {
                for number in resources.indices {
                    let run = try await workshop.run(workshop.urlOfOneName(number))
                    #expect(run.status == .code(0), "\(run.errors)")
                    #expect(run.errors.contains("already exists") == isAgain, "\(run.errors)")
                }
                try workshop.expectAll(resources)
            }
        }
    }

    /// Processes on one file, and on one folder.
    @Suite(.timeLimit(.minutes(5)), .serialized)
    struct OneFolderTests {
        @Test func `two processes download one file at the same time`() async throws {
            let (resource, latch) = (Resource(size: 3 << 20), Latch())
            let workshop = try Workshop()
            workshop.serve(.resource(resource).holdAfterBytes(1 << 20, until: latch))
            let runners = try (0..<2).map { _ in try workshop.start(workshop.url, "-x", "1") }
            // A process that starts late finds the partial file of the other, and ends.
            while latch.arrivalCount < 2, runners.allSatisfy({ $0.status == nil }) {
                try Task.checkCancellation()
                await Task.yield()
            }
            latch.release()
            let statuses = [await runners[0].waitForExit(), await runners[1].waitForExit()]
            let refused = ExitStatus.code(ErrorCode.alreadyRunning.exitStatus)
            #expect(statuses.allSatisfy { $0 == .code(0) || $0 == refused }, "\(statuses)")
            #expect(statuses.contains(.code(0)))
            #expect(workshop.folder.list() == [Workshop.name])
            try expectExact(Workshop.name, resource, in: workshop)
        }

        @Test func `two processes write many files to one folder at the same time`() async throws {
            let workshop = try Workshop()
            let names = (0..<40).map { "\($0).bin" }
            let resources = names.indices.map {
                Resource(size: Int64($0 * 4_000), seed: UInt64($0 + 1))
            }
            for (name, resource) in zip(names, resources) {
                workshop.serve(.resource(resource), at: "/" + name)
            }
            let halves = [names.prefix(20), names.suffix(20)]
            let runners = try halves.map { half in
                try workshop.start(arguments: half.map { workshop.origin.url("/" + $0) })
            }
            for runner in runners {
                #expect(await runner.waitForExit() == .code(0), "\(runner.errors)")
            }
            #expect(workshop.folder.list() == names.sorted())
            for (name, resource) in zip(names, resources) {
                try expectExact(name, resource, in: workshop)
            }
        }
    }
}
