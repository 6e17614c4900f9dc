import PawlCore
import Testing

/// The reasons for having no resume data: each row of the contract's list.
@Suite(.timeLimit(.minutes(5)))
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

    @Test func `with a strong validator a download can resume`() {
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

    @Test func `a request other than GET is an obstacle`() {
        #expect(obstacle { $0.method = "POST" } == .notGET)
    }

    @Test func `a missing validator is an obstacle`() {
        #expect(obstacle { $0.representation?.entityTag = nil } == .noValidator)
    }

    @Test func `a weak validator alone is an obstacle`() {
        #expect(obstacle { $0.representation?.entityTag?.isWeak = true } == .weakValidatorOnly)
        let fresh = obstacle {
            $0.representation?.entityTag = nil
            $0.representation?.lastModified = "Mon, 06 Jul 2026 08:49:37 GMT"
        }
        #expect(fresh == .weakValidatorOnly)
    }

    @Test func `a server without ranges is an obstacle`() {
        #expect(obstacle { $0.acceptsRanges = false } == .noRanges)
    }

    @Test func encoded() {
        #expect(obstacle { $0.representation?.contentEncoding = "gzip" } == .encoded)
    }

    @Test func `an unknown length is an obstacle`() {
        let unknown = obstacle {
            $0.representation?.entityTag = nil
            $0.representation?.total = nil
            $0.allowsWeakResume = true
        }
        #expect(unknown == .lengthUnknown)
    }

    @Test func `having received nothing is an obstacle`() {
        #expect(obstacle { $0.receivedBytes = 0 } == .nothingReceived)
        #expect(obstacle { $0.representation = nil } == .nothingReceived)
    }

    @Test(arguments: [
        ResumeObstacle.changedOnServer, .partialFileMissing, .partialFileChanged, .finished,
    ])
    func `an obstacle met earlier takes precedence`(met: ResumeObstacle) {
        #expect(obstacle { $0.obstacle = met } == met)
    }

    @Test func `if bytes are compared only a length is needed`() {
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

    @Test func `each obstacle has its own description and advice`() {
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
