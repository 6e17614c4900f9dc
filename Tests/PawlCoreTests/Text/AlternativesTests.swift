import PawlCore
import Testing

@Suite(.timeLimit(.minutes(5)))
struct AlternativesTests {
    @Test(arguments: [
        ([], ""), (["a"], "a"), (["a", "b"], "a or b"), (["a", "b", "c"], "a, b or c"),
    ])
    func `possibilities are joined`(texts: [String], expected: String) {
        #expect(texts.alternatives == expected)
    }
}
