import PawlDaemon
import Testing

@Suite(.timeLimit(.minutes(5)))
struct MetricsTextTests {
    @Test func `numbers are printed as Prometheus reads them`() {
        var text = MetricsText()
        text.add("a_total", .counter, "What is counted.", 3)
        text.add(
            "b",
            .gauge,
            "Some.",
            [
                (labels: [("route", "/v1"), ("odd", "a\"b\\c\nd")], value: 1.5),
                (labels: [], value: -2),
            ]
        )
        text.add("none", .gauge, "Nothing.", [])
        #expect(
            text.text == """
                # HELP a_total What is counted.
                # TYPE a_total counter
                a_total 3
                # HELP b Some.
                # TYPE b gauge
                b{route="/v1",odd="a\\"b\\\\c\\nd"} 1.5
                b -2

                """
        )
    }
}
