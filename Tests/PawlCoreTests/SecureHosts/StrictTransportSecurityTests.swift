import PawlCore
import Testing

@Suite(.timeLimit(.minutes(1)))
struct StrictTransportSecurityTests {
    @Test(arguments: [
        ("max-age=31536000", 31_536_000, false),
        ("max-age=31536000; includeSubDomains", 31_536_000, true),
        ("MAX-AGE=5;INCLUDESUBDOMAINS; preload", 5, true),
        (" max-age = \"60\" ; x=\"a;b\" ; ; y", 60, false),
        ("includeSubDomains; max-age=0", 0, true),
        ("max-age=99999999999999999999999999", Int64.max, false),
    ])
    func `a valid field is read`(field: String, age: Int64, includesSubdomains: Bool) throws {
        let demand = try #require(StrictTransportSecurity(field))
        #expect(demand.maximumAgeSeconds == age)
        #expect(demand.includesSubdomains == includesSubdomains)
    }

    @Test(arguments: [
        "", "includeSubDomains", "max-age", "max-age=", "max-age=-1", "max-age=1x",
        "max-age=1; max-age=2", "max-age=1; includeSubDomains; includeSubDomains",
        "max-age=1, max-age=2", "max-age=1 2", "=1", "max-age=1; =",
    ])
    func `a field that is not valid is ignored`(field: String) {
        #expect(StrictTransportSecurity(field) == nil)
    }
}
