import PawlFleet
import Testing

@Suite(.timeLimit(.minutes(5)))
struct CompletionJudgeTests {
    private static let mark = ObjectMark(queue: "queue", download: 7, upload: "a")
    private let judge = CompletionJudge(mark: Self.mark, bytes: 100)
    private static let answers: [CompletionJudge.Answer] = [
        .accepted, .notAsked, .refused, .noUpload, .wrongParts, .unknown,
    ]

    private func object(_ mark: String?, bytes: Int64 = 100) -> CompletionJudge.Object {
        CompletionJudge.Object(
            bytes: bytes,
            entityTag: "\"t\"",
            mark: mark.flatMap { ObjectMark(parsing: $0) }
        )
    }

    @Test(arguments: answers)
    func `what is under the key decides, not the answer`(answer: CompletionJudge.Answer) {
        let (ours, short) = (object("queue:7:a"), object("queue:7:a", bytes: 99))
        #expect(judge.judge(answer, .object(ours)) == .finished)
        #expect(judge.judge(answer, .object(short)) == .damaged(short))
        #expect(judge.judge(answer, .unknown) == .lookAgain)
        for other in [object(nil), object("queue:7:b"), object("queue:8:a")] {
            #expect(judge.judge(answer, .object(other)) == .occupied(other))
        }
    }

    @Test func `without an object the answer decides`() {
        #expect(judge.judge(.unknown, .nothing) == .completeAgain)
        #expect(judge.judge(.notAsked, .nothing) == .completeAgain)
        #expect(judge.judge(.refused, .nothing) == .completeAgain)
        #expect(judge.judge(.accepted, .nothing) == .completeAgain)
        #expect(judge.judge(.wrongParts, .nothing) == .checkParts)
        #expect(judge.judge(.noUpload, .nothing) == .startOver)
    }

    @Test func `only the object that was to be replaced may be there`() {
        let judge = CompletionJudge(mark: Self.mark, bytes: 100, replaced: "\"t\"")
        let other = CompletionJudge.Object(bytes: 100, entityTag: "\"u\"", mark: nil)
        #expect(judge.judge(.unknown, .object(object(nil))) == .completeAgain)
        #expect(judge.judge(.noUpload, .object(object(nil))) == .startOver)
        #expect(judge.judge(.refused, .object(other)) == .occupied(other))
        #expect(judge.judge(.unknown, .object(object("queue:7:a"))) == .finished)
    }

    @Test func `an upload that was completed before it was aborted is finished`() {
        #expect(judge.judgeAborted(.object(object("queue:7:a"))) == .finished)
        #expect(judge.judgeAborted(.nothing) == .startOver)
        #expect(judge.judgeAborted(.unknown) == .lookAgain)
        #expect(judge.judgeAborted(.object(object(nil))) == .occupied(object(nil)))
    }

    @Test func `a whole object of an earlier owner finishes the download`() {
        let (ours, earlier) = (object("queue:7:a"), object("queue:7:b", bytes: 7))
        #expect(judge.judgePut(.object(ours)) == .finished)
        #expect(judge.judgePut(.object(earlier)) == .adopt(earlier))
        #expect(judge.judgePut(.nothing) == .completeAgain)
        #expect(judge.judgePut(.unknown) == .lookAgain)
        for other in [object(nil), object("queue:8:a"), object("other:7:a")] {
            #expect(judge.judgePut(.object(other)) == .occupied(other))
        }
        // It may be the one that is to be replaced.
        let judge = CompletionJudge(mark: Self.mark, bytes: 100, replaced: "\"t\"")
        #expect(judge.judgePut(.object(earlier)) == .completeAgain)
    }

    @Test(arguments: ["", "a", "a:b:c", "a:1", ":1:b", "a:1:b:c", "a:99999999999999999999:b"])
    func `the text of someone else is no mark`(text: String) {
        #expect(ObjectMark(parsing: text) == nil)
    }

    @Test func `a mark is read as it was written`() {
        #expect(Self.mark.text == "queue:7:a")
        #expect(ObjectMark(parsing: Self.mark.text) == Self.mark)
        for name in ["a:b", ":", "%3A", "100%", "a b", "é\n", "=+/"] {
            let mark = ObjectMark(queue: name, download: 7, upload: name)
            #expect(ObjectMark(parsing: mark.text) == mark)
            #expect(mark.text.utf8.allSatisfy { (0x21...0x7E).contains($0) })
        }
    }
}
