import PawlCore
import Testing

/// Why there is no resume data: each row of the contract's list.
@Suite(.timeLimit(.minutes(1)))
struct ResumabilityTests {
    private func facts(_ change: (inout ResumeFacts) -> Void = { _ in }) -> ResumeFacts {
        var representation = Representation(total: 1000)
        representation.entityTag = EntityTag(isWeak: false, opaque: "\"1\"")
        var facts = ResumeFacts()
        facts.representation = representation
        facts.acceptsRanges = true
        facts.receivedBytes = 400
        change(&facts)
        return facts
    }

    private func obstacle(_ change: (inout ResumeFacts) -> Void) -> ResumeObstacle? {
        Resumability(facts(change)).obstacle
    }

    @Test func `with a strong validator a download is resumable from what it has`() {
        #expect(Resumability(facts()) == .resumable(from: 400))
        #expect(obstacle { $0.acceptsRanges = nil } == nil)
        #expect(obstacle { $0.representation?.total = nil } == nil)
        let dated = obstacle {
            $0.representation?.entityTag = nil
            $0.representation?.lastModified = "Mon, 06 Jul 2026 08:49:37 GMT"
            $0.representation?.lastModifiedIsOld = true
        }
        #expect(dated == nil)
    }

    @Test func `not a GET`() { #expect(obstacle { $0.method = "POST" } == .notGET) }

    @Test func `no validator`() {
        #expect(obstacle { $0.representation?.entityTag = nil } == .noValidator)
    }

    @Test func `weak validator only`() {
        #expect(obstacle { $0.representation?.entityTag?.isWeak = true } == .weakValidatorOnly)
        let fresh = obstacle {
            $0.representation?.entityTag = nil
            $0.representation?.lastModified = "Mon, 06 Jul 2026 08:49:37 GMT"
        }
        #expect(fresh == .weakValidatorOnly)
    }

    @Test func `no ranges`() { #expect(obstacle { $0.acceptsRanges = false } == .noRanges) }

    @Test func encoded() {
        #expect(obstacle { $0.representation?.contentEncoding = "gzip" } == .encoded)
    }

    @Test func `length unknown`() {
        let unknown = obstacle {
            $0.representation?.entityTag = nil
            $0.representation?.total = nil
            $0.allowsWeakResume = true
        }
        #expect(unknown == .lengthUnknown)
    }

    @Test func `nothing received`() {
        #expect(obstacle { $0.receivedBytes = 0 } == .nothingReceived)
        #expect(obstacle { $0.representation = nil } == .nothingReceived)
    }

    @Test(arguments: [
        ResumeObstacle.changedOnServer, .partialFileMissing, .partialFileChanged, .finished,
    ])
    func `what was met stands before all else`(met: ResumeObstacle) {
        #expect(obstacle { $0.obstacle = met } == met)
    }

    @Test func `where bytes are compared no validator is needed but a length`() {
        let allowed = obstacle {
            $0.representation?.entityTag = nil
            $0.allowsWeakResume = true
        }
        #expect(allowed == nil)
        var settings = DownloadSettings()
        #expect(settings.allowsWeakResume)
        settings.resumesWithoutValidator = false
        #expect(!settings.allowsWeakResume)
    }

    @Test func `each obstacle has a sentence and an advice of its own`() {
        let all = ResumeObstacle.allCases
        #expect(Set(all.map(\.description)).count == all.count)
        for obstacle in all {
            #expect(!obstacle.advice.isEmpty)
            let error = DownloadError(obstacle)
            #expect(error.code == .notResumable && error.resumeObstacle == obstacle)
            #expect(error.retryClass == .never)
        }
    }
}
