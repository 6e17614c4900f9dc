import PawlCore
import Testing

@Suite(.timeLimit(.minutes(5)))
struct RedirectMethodTests {
    @Test(arguments: [
        (301, "POST", "GET", false), (302, "POST", "GET", false), (303, "POST", "GET", false),
        (307, "POST", "POST", true), (308, "POST", "POST", true), (301, "PUT", "PUT", true),
        (303, "DELETE", "GET", false), (303, "HEAD", "HEAD", false), (302, "HEAD", "HEAD", true),
        (301, "GET", "GET", true),
    ])
    func `each redirect leads to the correct method`(
        status: Int,
        method: String,
        next: String,
        keepsBody: Bool
    ) {
        let answer = RedirectPolicy.method(after: status, of: method)
        #expect(answer.method == next)
        #expect(answer.keepsBody == keepsBody)
    }

    @Test func `fields that describe a body are dropped with it`() {
        let fields = ["content-type", "Expect", "X-Own", "Accept"].map {
            HTTPField(name: $0, value: "x")
        }
        #expect(RedirectPolicy.fieldsWithoutBody(fields).map(\.name) == ["X-Own", "Accept"])
    }
}
